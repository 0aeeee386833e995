"""What of Python and its libraries belongs to the workings of a run, and what is anybody's.

The tables err on the side of the student: what an honest script may do to print, look into or
measure something is allowed, even where a clever one could waste its own time with it.
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FORBIDDEN = _words(
    """
    _ctypes _frozen_importlib _frozen_importlib_external _imp _interpreters _posixsubprocess _signal
    _testcapi _testinternalcapi _thread _xxsubinterpreters atexit bdb builtins cffi cgitb code
    codeop concurrent course course_probe ctypes dis doctest fcntl forbiddenfruit gorilla imp
    interpreters jinja2 marshal mmap mock nt opcode posix pty ptrace pytest runpy select selectors
    signal site sitecustomize socket socketserver subprocess sympy threading trace usercustomize
    wrapt zipimport
    """
)
"""Modules that nobody needs who mends a training script."""

DENIED: dict[str, frozenset[str]] = {
    module: _words(names)
    for module, names in {
        "asyncio": """
            create_subprocess_exec create_subprocess_shell subprocess to_thread all_tasks
            current_task
        """,
        "cProfile": "run runctx",
        "gc": "get_objects get_referents get_referrers callbacks",
        "inspect": """
            currentframe getattr_static getclosurevars getcoroutinelocals getframeinfo
            getgeneratorlocals getinnerframes getmembers getmodule getmro getouterframes stack
            trace unwrap
        """,
        "io": "FileIO open_code",
        "joblib": "load Parallel",
        "logging": "currentframe config",
        "os": """
            _Environ _execvpe _exit abort chroot close closerange copy_file_range dup dup2 eventfd
            eventfd_write execl execle execlp execlpe execv execve execvp execvpe fchdir fdopen
            fork forkpty ftruncate kill killpg link lockf login_tty lseek memfd_create mkfifo mknod
            open openpty pidfd_open pipe pipe2 popen posix_fallocate posix_spawn posix_spawnp pread
            preadv pwrite pwritev read readv register_at_fork sendfile setns setpgid setpgrp
            setpriority setregid setresgid setresuid setreuid setsid setuid setgid spawnl spawnle
            spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe splice symlink system tcsetpgrp
            truncate unshare wait wait3 wait4 waitid waitpid write writev
        """,
        "pdb": "Pdb run runcall runeval",
        "pickle": "Unpickler _Unpickler load loads",
        "pkgutil": "get_importer get_loader iter_importers resolve_name",
        "profile": "run runctx",
        "psutil": "Popen process_iter",
        "pydoc": "importfile locate resolve safeimport",
        "shelve": "open",
        "sys": """
            _current_exceptions _current_frames _getframe _getframemodulename
            activate_stack_trampoline addaudithook call_tracing getprofile gettrace meta_path
            modules monitoring path_hooks path_importer_cache remote_exec setprofile settrace
        """,
        "timeit": "Timer main repeat timeit",
        "traceback": "walk_stack walk_tb",
        "types": "CodeType FunctionType",
        "typing": "ForwardRef get_type_hints evaluate_forward_ref",
        "unittest": "mock",
    }.items()
} | {
    name: frozenset({"Pickler", "Unpickler", "load", "loads"})
    for name in ("_pickle", "dill", "cloudpickle", "jsonpickle")
}  # fmt: skip
"""Modules of which only these names are out of bounds."""

ALLOWED: dict[str, frozenset[str]] = {
    "importlib": frozenset({"import_module", "metadata", "resources", "util"}),
    "importlib.util": frozenset({"find_spec"}),
    "multiprocessing": frozenset({"cpu_count"}),
    "resource": frozenset({"getrusage", "RUSAGE_SELF", "RUSAGE_CHILDREN"}),
}
"""Modules of which only these names are anybody's."""

DOORS = _words(
    """
    _thread asyncio atexit builtins ctypes fcntl gc importlib inspect io logging mmap
    multiprocessing os pickle pkgutil posix socket subprocess sys threading traceback types
    typing unittest
    """
)
"""Modules that many a library has imported, so that they are reached by way of it."""

ATTRIBUTES = _words(
    """
    __array_interface__ __array_struct__ __builtins__ __closure__ __code__ __cuda_array_interface__
    __defaults__ __func__ __getattribute__ __globals__ __import__ __instancecheck__ __kwdefaults__
    __loader__ __reduce__ __reduce_ex__ __self__ __spec__ __subclasscheck__ __subclasses__
    __subclasshook__ __torch_dispatch__ __torch_function__ __wrapped__ __mro__ __bases__ __base__
    __objclass__ __orig_bases__
    TorchDispatchMode TorchFunctionMode _current_frames _getframe _rebuild_code ag_code ag_frame
    as_strided co_code co_consts cpp_extension cr_code cr_frame ctypes ctypeslib currentframe
    create_subprocess_exec create_subprocess_shell dictConfig dynamic_module_utils f_back f_builtins
    f_code f_globals f_locals f_trace get_class_from_dynamic_module get_stack gi_code gi_frame
    gi_yieldfrom load_inline load_library mro patch_submodule run_in_executor setprofile settrace
    tb_frame
    """
)
"""Attributes that lead from any object into the workings of the interpreter or of a library."""

METHODS = _words(
    """
    argmax backward compute cross_entropy dump dumps evaluation_loop forward from_pretrained item
    load load_dataset loads named_parameters parameters predict prediction_step read save_pretrained
    state_dict tolist train training_step write
    """
)
"""Methods that nobody replaces who mends a script: neither of a class nor of an object."""

HARMLESS = frozenset({"__doc__", "__name__", "__qualname__", "__all__", "__version__"})
"""What with two underscores at both ends may be written."""

DEFINED = _words(
    """
    __class__ __del__ __getattribute__ __instancecheck__ __reduce__ __reduce_ex__
    __subclasscheck__ __subclasshook__ __torch_dispatch__ __torch_function__
    """
)
"""Methods by which an object passes for another, or runs when nobody calls it."""

COMPONENTS = _words("compute_metrics data_collator eval_dataset model train train_dataset")
"""What a run uses of the object that trains; as a property it can be another one each time."""

WRITABLE: dict[str, frozenset[str]] = {
    "sys": frozenset({"argv", "dont_write_bytecode", "path", "stderr", "stdout", "tracebacklimit"}),
    "warnings": frozenset({"formatwarning", "showwarning", "warn"}),
}
"""Attributes of modules that a script may set to what it likes."""

SETTINGS = frozenset({"backends", "config", "options", "rcParams"})
"""Parts of libraries that are there to be written to."""

BUILTINS = _words(
    """
    __import__ compile delattr eval exec getattr globals locals object open setattr type vars
    """
)
"""Built-in functions whose use is looked at."""

EXECUTING = frozenset({"__import__", "compile", "eval", "exec"})

WORDS = re.compile(
    r"course_probe|\bsys\s*\.\s*modules\b|\b(?:_getframe|f_back|f_globals|f_locals|tb_frame)\b"
    r"|__(?:builtins|code|closure|getattribute|globals|import|reduce|reduce_ex|subclasses)__"
    r"|/proc(?:/(?:self|thread-self|\d+|sys|\{|$)|$)|/dev/fd(?:/|$)"
    r"|(?<![\w.~-])/(?:box/)?jobs?(?:/|$)"
)
"""What no honest text holds: names of the workings, and where they lie."""

CODE_FILE = re.compile(r"[\w./~{}-]*\.(?:py|pyc|pyd|pth|so)")
"""The name of a file that Python would run."""

WRITING = _words(
    """
    copy copyfile dump extract extractall move rename replace symlink_to to_csv tofile touch write
    write_bytes write_text writelines writestr
    """
)
"""Methods that may bring a file into being."""


def denied(origin: str) -> bool:
    """Whether something known by its full name (`os.fork`) is out of bounds."""
    module, *names = origin.split(".")
    # A library of operators can be told to compute something else.
    if module in FORBIDDEN or (names[:1] == ["library"] and len(names) > 1):
        return True
    if names and names[0] in DENIED.get(module, ()):
        return True
    for depth in range(len(names)):
        allowed = ALLOWED.get(".".join([module, *names[:depth]]))
        if allowed is not None and names[depth] not in allowed:
            return True
    return False


def canonical(origin: str) -> str:
    """The full name by the shortest way: `transformers.trainer.sys.modules` is `sys.modules`."""
    parts = origin.split(".")
    doors = [i for i, part in enumerate(parts[1:], 1) if part in DOORS]
    return ".".join(parts[doors[-1] :]) if doors else origin
