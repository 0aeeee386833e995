# ruff: noqa: E501
"""Whoever reaches for the workings of the run is seen, and no honest script is suspected."""

import random
import time

import pytest

from course.grading.engine import static_checks
from course.grading.engine.static_checks import StaticFinding, find
from course.lesson import lesson

HEAD = """
import evaluate
import torch
import transformers
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer,
    TrainingArguments,
)

raw = load_dataset("glue", "mnli")
tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased")
args = TrainingArguments("out")


def tokenize(pairs):
    return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True)


trainer = Trainer(model, args, train_dataset=raw["train"])
"""
LINES = HEAD.count("\n")

HONEST = {
    "dunder import": "if __import__('sys').stdin.isatty():\n    input()",
    "pickled arrays": "import numpy as np\nnp.savez('x.npz', a=a)\nnp.load('x.npz', allow_pickle=True)",
    "environment": 'import os\nos.environ["TOKENIZERS_PARALLELISM"] = "false"\nos.environ.setdefault("A", "1")',
    "version": "import sys\nprint(sys.version, sys.version_info[:2], sys.argv, sys.platform)",
    "exit": "import sys\nif len(sys.argv) > 5:\n    sys.exit(1)",
    "colab": 'import sys\nIN_COLAB = "google.colab" in sys.modules\nif "x" not in sys.modules:\n    pass',
    "imports": "import random, math, json, collections, pathlib, typing, logging, warnings, time",
    "others": "import pandas as pd\nimport sklearn.metrics\nimport matplotlib.pyplot as plt\nimport numpy as np",
    "scipy": "import scipy.signal\nfrom scipy import signal\nsignal.butter(1, 0.5)\nscipy.special.softmax",
    "star": "from transformers import *\nfrom os.path import *\nx = Trainer(model, args)\nprint(join('a', 'b'))",
    "reproducible": "torch.backends.cudnn.deterministic = True\ntorch.backends.cudnn.benchmark = bool(0)",
    "device": 'device = "cuda" if torch.cuda.is_available() else "cpu"\nmodel.to(device)',
    "config": "model.config.num_labels = 3\nmodel.config.id2label = {0: 'a'}\ntrainer.args.x = args",
    "collator": "trainer.data_collator = DataCollatorWithPadding(tokenizer)",
    "metrics": "def measure(p):\n    return {}\ntrainer.compute_metrics = measure",
    "loop": "for name in ('a', 'b'):\n    setattr(args, name, 1)\n    print(getattr(args, name))",
    "dir": "for name in dir(model):\n    print(name, getattr(model, name, None))",
    "settings": "for k, v in {'lr': 1}.items():\n    setattr(args, k, v)",
    "class by name": "for name in ('AutoModel', 'BertModel'):\n    print(getattr(transformers, name).__name__)\nopt = getattr(torch.optim, args.optim)",
    "climbing": "print(Trainer.__mro__, Trainer.mro(), type(model).__bases__)",
    "singleton": "class Once(type):\n    pass\nclass Settings(metaclass=Once):\n    pass",
    "evaluated": "x = eval('{\"a\": 1}')\nexec('y = 2')",
    "timed": "import timeit\nprint(timeit.timeit(lambda: tokenize({}), number=1))",
    "temporary": "import os, tempfile\nhandle, path = tempfile.mkstemp()\nos.close(handle)",
    "joblib": "from joblib import Parallel, delayed\nParallel(2)(delayed(len)(x) for x in ['a'])",
    "templates": "import jinja2\njinja2.Template('x').render()\nimport resource",
    "when it dies": "class X:\n    def __del__(self):\n        print('gone')",
    "path put together": "path = 'a'\npath = path + '.txt'\nopen(path, 'w')\nfor n in range(3):\n    open(f'{n}.txt')\n    open('a' + str(n))",
    "layer": "for i in range(6):\n    print(getattr(model, f'layer_{i}', None))",
    "constant": "Model = getattr(transformers, 'AutoModel')\nprint(getattr(args, 'output_dir'))",
    "eval": "model.eval()\nmodel.compile()\nimport re\nre.compile('a')\ndf = 1",
    "own eval": "def eval(model):\n    return 1\neval(model)",
    "numpy of old": "import numpy as np\nnp.bool = bool\nnp.object = object",
    "quiet": "import warnings\ndef warn(*a, **k):\n    pass\nwarnings.warn = warn\ntransformers.logging.set_verbosity_error()",
    "logger": "import logging\nlogger = logging.getLogger(__name__)\nlogger.handlers = []\nlogger.setLevel(10)",
    "out": "import sys\nsys.stdout = open('log.txt', 'w')\nsys.stdout.reconfigure(encoding='utf-8')",
    "files": "with open('notes.txt', 'w', encoding='utf-8') as f:\n    f.write('x')\nfile = open(__file__)",
    "path": "from pathlib import Path\nPath('out').mkdir(exist_ok=True)\nPath('a.json').write_text('{}')",
    "json": "import json\njson.dump({}, open('a.json', 'w'))\nimport matplotlib.pyplot as plt\nplt.rcParams['x'] = 1",
    "memory": "import gc\ngc.collect()\ntorch.cuda.empty_cache()",
    "trace": "import traceback\ntry:\n    trainer.train()\nexcept ValueError as e:\n    traceback.print_exc()\n    print(e.__traceback__.tb_lineno, e.__class__.__name__)\n    raise",
    "debugger": "import pdb\nbreakpoint()\npdb.set_trace()",
    "signature": "import inspect\nprint(inspect.signature(model.forward), inspect.getsource(Trainer))",
    "found": "import importlib.util\nimport importlib.metadata\nimportlib.util.find_spec('torch')\nimportlib.metadata.version('torch')",
    "module": "import importlib\ntorch2 = importlib.import_module('torch')",
    "cores": "import multiprocessing\nimport os\nn = multiprocessing.cpu_count() or os.cpu_count()",
    "namespace": "print('trainer' in globals(), locals().keys(), vars(args))\nprint(globals()['trainer'])",
    "subclass": "class Mine(Trainer):\n    def compute_loss(self, model, inputs, **k):\n        return super().compute_loss(model, inputs, **k)\n    def get_train_dataloader(self):\n        return 1\n    def __init__(self, *a, **k):\n        super().__init__(*a, **k)\n        self.weights = torch.ones(3)\n        self.model = model",
    "dataset": "class Data(torch.utils.data.Dataset):\n    def __init__(self, rows):\n        self.rows = rows\n        self.read = 1\n    def __len__(self):\n        return 1\n    def __getitem__(self, i):\n        return self.rows[i]",
    "abstract": "from abc import ABCMeta, abstractmethod\nclass A(metaclass=ABCMeta):\n    @abstractmethod\n    def f(self):\n        pass",
    "kept": "class Run:\n    def __init__(self, model, **rest):\n        self.model = model\n        self.parts = {}\n        self.parts['model'] = model\n        self.parts['model'].config.x = tokenizer\nrun = Run(model=model)\nrun.model.config.y = tokenizer",
    "chosen": "best = max([trainer, trainer], key=id)\nbest.compute_metrics = tokenize\nbest.args.lr = 1",
    "deeper and deeper": "m = transformers\nm = m.models\nm = m.bert\nn = m\nm = n\nx = model\nx = x.a\nx = x.b\nx.c = x",
    "own counter": "class Count:\n    n = 0\n    def up(self):\n        type(self).n += 1\n        self.__class__.n += 1\n        self.__dict__.update(a=1)",
    "type": "print(type(model), type(model).__name__, type(trainer.model).__doc__)",
    "decorated": "import functools\n@functools.lru_cache\ndef f(x):\n    return x\ng = functools.partial(tokenize, 1)",
    "main": "def main():\n    trainer.train()\nif __name__ == '__main__':\n    main()",
    "tokens": "tokenizer.pad_token = tokenizer.eos_token\ntokenizer.model_max_length = 128",
    "freeze": "for p in model.parameters():\n    p.requires_grad = False\nmodel.classifier.weight.data[:] = 0",
    "model given": "def build(cls):\n    return cls.from_pretrained('x')\nm = build(AutoModelForSequenceClassification)\nm.config.x = tokenizer",
    "recursion": "def walk(x):\n    return walk(x[0]) if x else x\nwalk([])\nnames = []\nnames = sorted(names)\nnames = list(names)",
    "annotated": "from dataclasses import dataclass\n@dataclass\nclass C:\n    lr: float = 1e-5\nc: C = C()\nc.lr = 2.0",
    "chinese": "# 数据\n标签 = raw['train'].features['label'].names\nprint('标签', 标签)",
    "cookie": "x = 1  # coding style\n",
    "pandas": "import pandas as pd\npd.options.display.float_format = '{:.2f}'.format\npd.DataFrame().query('a > 1')",
    "datasets": "import datasets\ndatasets.config.IN_MEMORY_MAX_SIZE = 1\ndatasets.disable_progress_bar()\nds = raw.with_format('torch')",
    "hook": "model.register_forward_hook(lambda *a: print(a))",
    "clock": "import time, timeit\nt = time.perf_counter()\nprint(timeit.default_timer() - t)",
    "usage": "import psutil, resource\npsutil.Process().memory_info()\nresource.getrusage(resource.RUSAGE_SELF)",
    "text": "print('see https://huggingface.co/course/chapter8/4', 'a course', 'jobs/1', 'my job/')",
    "cpuinfo": "print(open('/proc/cpuinfo').read()[:10], open('/proc/meminfo').readline())",
    "process pool": "mapped = raw.map(tokenize, batched=True, num_proc=2)\nprint(mapped['train'][0])",
    "chain": "x = raw" + ".map(tokenize)" * 25,
    "profile": "import cProfile, pstats\ncProfile.run('trainer.train()', 'out')\nwith cProfile.Profile() as p:\n    trainer.train()",
    "checkpoint": "names = {}.copy()\nprint('a'.replace('a', 'b'))\ntorch.save(model.state_dict(), 'model.pth')\ntorch.load('model.pth', weights_only=False)",
    "own name": "import argparse\nargparse.ArgumentParser(prog='train.py')\nprint('a-b'.replace('-', ' '))",
    "help": "import pydoc\nprint(pydoc.render_doc(Trainer))",
    "file object": "import io\nio.FileIO('a.txt').read()",
    "sum": "x = " + " + ".join(["'a'"] * 400),
}  # fmt: skip

TAMPERING = {
    "modules": ("import sys\nsys.modules['x']", "sys.modules"),
    "modules renamed": ("import sys as s\nm = s.modules", "s.modules"),
    "modules imported": ("from sys import modules as m", "import sys.modules"),
    "modules by a library": ("transformers.trainer.sys.modules['x']", "transformers.trainer.sys.modules"),
    "modules by getattr": ("import sys\ngetattr(sys, 'modules')", "getattr"),
    "modules put together": ("import sys\ngetattr(sys, 'mod' + 'ules')", "getattr"),
    "modules compared and used": ("import sys\n'x' in sys.modules and sys.modules.pop('x')", "sys.modules"),
    "frame": ("import sys\nsys._getframe(1)", "sys._getframe"),
    "frame inspected": ("import inspect\ninspect.currentframe()", "inspect.currentframe"),
    "stack": ("from inspect import stack", "import inspect.stack"),
    "frame of logging": ("import logging\nlogging.currentframe()", "logging.currentframe"),
    "frame of an error": ("try:\n    1/0\nexcept ZeroDivisionError as e:\n    f = e.__traceback__.tb_frame", "e.__traceback__.tb_frame"),
    "frame back": ("x.f_back.f_locals", "x.f_back.f_locals"),
    "frame of a generator": ("(i for i in []).gi_frame", "(i for i in []).gi_frame"),
    "frame walked": ("import traceback\ntraceback.walk_stack(None)", "traceback.walk_stack"),
    "trace": ("import sys\nsys.settrace(print)", "sys.settrace"),
    "profile": ("from sys import setprofile as p", "import sys.setprofile"),
    "monitoring": ("import sys\nsys.monitoring.use_tool_id(1, 'x')", "sys.monitoring"),
    "audit": ("import sys\nsys.addaudithook(print)", "sys.addaudithook"),
    "import hook": ("import sys\nsys.meta_path.insert(0, 1)", "sys.meta_path"),
    "path hook": ("import sys\nsys.path_hooks[:] = []", "sys.path_hooks"),
    "garbage": ("import gc\nfor o in gc.get_objects():\n    pass", "gc.get_objects"),
    "referrers": ("from gc import get_referrers", "import gc.get_referrers"),
    "ctypes": ("import ctypes", "import ctypes"),
    "ctypes by numpy": ("import numpy as np\nnp.ctypeslib.ctypes", "np.ctypeslib"),
    "builtins": ("import builtins\nbuiltins.len = 1", "import builtins"),
    "builtins by name": ("__builtins__.print = 1", "__builtins__"),
    "builtins by a function": ("print.__self__.len = 1", "print.__self__"),
    "globals of a function": ("Trainer.train.__globals__", "Trainer.train.__globals__"),
    "globals put together": ("getattr(tokenize, '__glo' + 'bals__')", "getattr"),
    "globals by format": ("n = '__{}__'.format('globals')\ngetattr(trainer.train, n)", "getattr"),
    "globals by a loop": ("for n in ['slabolg'[::-1]]:\n    getattr(model, n)", "getattr"),
    "globals by attrgetter": ("import operator\noperator.attrgetter('train.__globals__')(trainer)", '"__globals__"'),
    "getattr handed on": ("import functools\nfunctools.reduce(getattr, ['a', 'b'], trainer)", "getattr"),
    "getattr renamed": ("g = getattr\ng(trainer, 'x')", "getattr"),
    "subclasses": ("object.__subclasses__()", "object.__subclasses__"),
    "code": ("tokenize.__code__ = (lambda: 1).__code__", "tokenize.__code__"),
    "closure": ("tokenize.__closure__[0]", "tokenize.__closure__"),
    "defaults": ("Trainer.__init__.__defaults__ = ()", "Trainer.__init__.__defaults__"),
    "reduce": ("class X:\n    def __reduce__(self):\n        return print, ()", "def __reduce__"),
    "exec": ("x = '1'\nexec(x)", "exec"),
    "exec in full width": ("ｅｘｅｃ(x)", "exec"),
    "eval renamed": ("e = eval\ne('1')", "eval"),
    "compile": ("compile('1' + x, 'x', 'exec')", "compile"),
    "eval hidden": ("if 0:\n    eval = None\neval(x)", "eval"),
    "eval deleted": ("def eval(x):\n    pass\ndel eval\neval('1')", "eval"),
    "exec as a decorator": ("@exec\nclass X:\n    pass", "exec"),
    "dunder import put together": ("__import__('o' + 's')", "__import__"),
    "dunder import by keyword": ("__import__(name='os')", "__import__"),
    "dunder import renamed": ("load = __import__\nload('os')", "load"),
    "modules by dunder import": ("__import__('sys').modules", "__import__('sys').modules"),
    "frames by dunder import": ("__import__('inspect').stack()", "__import__('inspect').stack"),
    "package by dunder import": ("__import__('logging.config').currentframe()", "__import__('logging.config').currentframe"),
    "dill session": ("import dill\ndill.load_session('x')", "dill.load_session"),
    "dill module": ("from dill import load_module", "import dill.load_module"),
    "dill writer": ("import dill\n@dill.register(X)\ndef save(pickler, obj):\n    pickler.write(b'x')", "dill.register"),
    "dill within": ("import dill._dill as d\nd.loads(x)", "d.loads"),
    "dill by a library": ("import datasets\ndatasets.utils._dill.dill.load_session('a')", "datasets.utils._dill.dill.load_session"),
    "pickles of processes": ("import multiprocessing.context as c\nc.reduction.ForkingPickler.loads(x)", "c.reduction.ForkingPickler"),
    "importlib machinery": ("import importlib.util\nimportlib.util.spec_from_file_location('a', 'b')", "importlib.util.spec_from_file_location"),
    "reload": ("import importlib\nimportlib.reload(evaluate)", "importlib.reload"),
    "module put together": ("import importlib\nimportlib.import_module('sub' + 'process')", "importlib.import_module"),
    "module by text": ("import importlib\nimportlib.import_module('ctypes')", "import ctypes"),
    "modules by module by text": ("from importlib import import_module as im\nim('sys').modules", "im('sys').modules"),
    "fork": ("import os\nos.fork()", "os.fork"),
    "fork by star": ("from os import *\nfork()", "import os"),
    "sys by star": ("from transformers.trainer import *\nsys.modules", "sys.modules"),
    "dup": ("import os\nos.dup2(1, 3)", "os.dup2"),
    "write": ("import os\nfor fd in range(64):\n    os.write(fd, b'x')", "os.write"),
    "at fork": ("import os\nos.register_at_fork(before=print)", "os.register_at_fork"),
    "descriptor": ("open(3, 'w').write('x')", "open(…)"),
    "descriptors": ("for n in range(3, 64):\n    open(n, 'w')", "open(…)"),
    "descriptor kept": ("open('x', closefd=False)", "closefd="),
    "questions": ("open('/job/questions.json')", '"/job/"'),
    "questions, where they lie": ("open('/box/job/questions.json')", '"/box/job/"'),
    "probe": ("import course_probe.exam", "import course_probe.exam"),
    "probe from": ("from course_probe import exam as e", "import course_probe.exam"),
    "ours": ("import course", "import course"),
    "probe in a string": ("x = 'course_probe.exam'", '"course_probe"'),
    "mock": ("from unittest.mock import patch", "import unittest.mock.patch"),
    "mock by package": ("from unittest import mock", "import unittest.mock"),
    "unpickler": ("import pickle\npickle.Unpickler(open('x', 'rb')).load()", "pickle.Unpickler"),
    "pickles through a pipe": ("from multiprocessing import Pipe\na, b = Pipe()\na.send_bytes(b'x')", "a.send_bytes"),
    "pickles on a shelf": ("import shelve\nshelve.open('x')", "shelve.open"),
    "fence reloaded": ("import pickle\nfrom importlib import reload\nreload(pickle)", "reload"),
    "reload handed on": ("import importlib\nlist(map(importlib.reload, [evaluate]))", "importlib.reload"),
    "runner of tests": ("import doctest\ndoctest.DocTestRunner", "doctest.DocTestRunner"),
    "text in a configuration": ("import logging.config\nlogging.config.fileConfig('x')", "logging.config.fileConfig"),
    "configurator": ("from logging.config import BaseConfigurator", "import logging.config.BaseConfigurator"),
    "text that is profiled": ("import cProfile\ncProfile.run(x)", "cProfile.run"),
    "text that a profiler runs": ("import cProfile\np = cProfile.Profile()\np.runctx(x, {}, {})", "p.runctx"),
    "text that is traced": ("import trace\ntrace.Trace().run(x)", "trace.Trace().run"),
    "timeit handed on": ("import timeit\nlist(map(timeit.timeit, [x]))", "timeit.timeit"),
    "timeit's name handed on": ("from timeit import timeit as t\nlist(map(t, [x]))", "t"),
    "descriptor as a file": ("import io\nio.FileIO(3, 'w')", "io.FileIO(…)"),
    "folder of paths": ("import site\nsite.addsitedir('x')", "site.addsitedir"),
    "code that was kept": ("import marshal\nf = type(tokenize)(marshal.loads(x), {})", "marshal.loads"),
    "unpickler of a library": ("import joblib\njoblib.numpy_pickle.NumpyUnpickler('x', 'y').load()", "joblib.numpy_pickle"),
    "unpickler of pandas": ("from pandas.compat import pickle_compat", "import pandas.compat.pickle_compat"),
    "own module copied": ("import shutil\nprint('x', file=open('a', 'w'))\nshutil.copy(src='a', dst='helper.py')", '"helper.py"'),
    "own module moved": ("import os\nopen('x', 'w')\nos.replace('x', 'helper.py')", '"helper.py"'),
    "function made": ("import types\ntypes.FunctionType", "types.FunctionType"),
    "debugger scripted": ("import io, sys\nsys.stdin = io.StringIO('x')", "sys.stdin = …"),
    "timeit": ("import timeit\ntimeit.timeit(x)", "timeit.timeit"),
    "class method": ("Trainer.train = lambda self: None", "Trainer.train = …"),
    "class method by module": ("transformers.Trainer.evaluate = 1", "transformers.Trainer.evaluate = …"),
    "class renamed": ("T = Trainer\nT.log = tokenize", "T.log = …"),
    "class renamed twice": ("A = Trainer\nB = A\nA = B\nB.log = tokenize", "B.log = …"),
    "class renamed often": ("\n".join(f"a{n} = a{n - 1}" for n in range(1, 99)) + "\na0 = Trainer\na98.log = tokenize", "a98.log = …"),
    "class renamed in disorder": ("\n".join(f"a{n * 37 % 97} = a{(n * 37 - 1) % 97}" for n in range(97)) + "\na0 = Trainer\na60.log = tokenize", "(((…"),
    "class in a tuple": ("for c in (int, Trainer):\n    c.log = tokenize", "c.log = …"),
    "class in a list": ("[Trainer][0].log = tokenize", "[Trainer][0].log = …"),
    "class unpacked": ("a, (b, *c) = 1, (Trainer, 2)\nb.log = tokenize", "b.log = …"),
    "class by walrus": ("if T := Trainer:\n    T.log = tokenize", "T.log = …"),
    "class by match": ("match Trainer:\n    case T:\n        T.log = tokenize", "T.log = …"),
    "class as argument": ("def f(c):\n    c.log = tokenize\nf(Trainer)", "c.log = …"),
    "class as keyword": ("def f(a, *, c=None):\n    c.log = tokenize\nf(1, c=Trainer)", "c.log = …"),
    "class returned": ("def f():\n    return Trainer\nf().log = tokenize", "f().log = …"),
    "class of a lambda": ("(lambda: Trainer)().log = tokenize", "(lambda: Trainer)().log = …"),
    "class of an object": ("type(trainer).log = tokenize", "type(trainer).log = …"),
    "class by attribute": ("trainer.__class__.log = tokenize", "trainer.__class__.log = …"),
    "class changed": ("trainer.__class__ = object", "trainer.__class__ = …"),
    "class by import": ("from transformers import Trainer as T\nT.log = tokenize", "T.log = …"),
    "class by setattr": ("setattr(Trainer, 'log', tokenize)", "setattr(Trainer, …)"),
    "class by any name": ("for n in ['log']:\n    setattr(Trainer, n, 1)", "setattr(Trainer, …)"),
    "class by type": ("type.__setattr__(Trainer, 'log', 1)", "type.__setattr__"),
    "class by vars": ("vars(Trainer)['log'] = 1", "vars(Trainer)[…] = …"),
    "class by dict": ("Trainer.__dict__['log'] = 1", "Trainer.__dict__[…] = …"),
    "module by vars": ("v = vars(evaluate)\nv['load'] = tokenize", "v[…] = …"),
    "module by update": ("evaluate.__dict__.update(load=1)", "evaluate.__dict__.update"),
    "module function": ("evaluate.load = tokenize", "evaluate.load = …"),
    "module function for a while": ("import contextlib\nwith contextlib.nullcontext(1) as evaluate.load:\n    pass", "evaluate.load = …"),
    "module function by a loop": ("for evaluate.load in [tokenize]:\n    pass", "evaluate.load = …"),
    "module function in a list": ("[0 for evaluate.load in [tokenize]]", "evaluate.load = …"),
    "module function annotated": ("evaluate.load: object = tokenize", "evaluate.load = …"),
    "module function added to": ("Trainer.x += 1", "Trainer.x = …"),
    "module function starred": ("*torch.x, y = 1, 2", "torch.x = …"),
    "deletion": ("del Trainer.log", "del Trainer.log"),
    "tensor": ("torch.Tensor.item = lambda self: 1", "torch.Tensor.item = …"),
    "loss": ("import torch.nn.functional as F\nF.cross_entropy = tokenize", "F.cross_entropy = …"),
    "clock": ("import time\ntime.time = lambda: 0", "time.time = …"),
    "json": ("import json\njson.dumps = lambda *a, **k: '{}'", "json.dumps = …"),
    "object's train": ("trainer.train = lambda: None", "trainer.train = …"),
    "object's train by dict": ("trainer.__dict__['train'] = 1", "trainer.__dict__[…] = …"),
    "model's forward": ("model.forward = tokenize", "model.forward = …"),
    "collator's call": ("DataCollatorWithPadding.__call__ = tokenize", "DataCollatorWithPadding.__call__ = …"),
    "globals written": ("globals()['Trainer'] = 1", "globals()[…] = …"),
    "globals searched": ("for v in globals().values():\n    pass", "globals().values"),
    "globals by a made name": ("globals()['__buil' + 'tins__']", "globals()[…]"),
    "class in a dict": ("d = {}\nd['a'] = Trainer\nd['a'].log = tokenize", "d['a'].log = …"),
    "class appended": ("a = []\na.append((Trainer, 1))\nfor c, n in a:\n    c.log = tokenize", "c.log = …"),
    "class kept in an object": ("import types\nn = types.SimpleNamespace(c=Trainer)\nn.c.log = tokenize", "n.c.log = …"),
    "class kept in a class": ("class H:\n    c = Trainer\nH.c.log = tokenize", "H.c.log = …"),
    "class chosen": ("t = next(iter({Trainer}))\nt.log = tokenize", "t.log = …"),
    "class copied": ("import copy\nt = copy.copy(Trainer)\nt.log = tokenize", "t.log = …"),
    "class handed on": ("import functools\nt = functools.reduce(max, [Trainer])\nt.log = tokenize", "t.log = …"),
    "class by a metaclass": ("class M(type(Trainer)):\n    def __prepare__(name, bases):\n        bases[0].log = 1\nclass X(Trainer, metaclass=M):\n    pass", "class X(metaclass=…)"),
    "metaclass": ("class M(type):\n    def __getattribute__(cls, n):\n        return 1", "def __getattribute__"),
    "property": ("class T(Trainer):\n    @property\n    def data_collator(self):\n        return 1", "T.data_collator"),
    "property assigned": ("class T(Trainer):\n    model = property(lambda s: 1)", "T.model"),
    "any attribute": ("class T(Trainer):\n    def __getattr__(self, n):\n        return 1", "T.__getattr__"),
    "passes for another": ("class X:\n    __class__ = Trainer", "X.__class__"),
    "all modules": ("torch.nn.modules.module.register_module_forward_hook(print)", "torch.nn.modules.module.register_module_forward_hook"),
    "operators": ("torch.library.Library('aten', 'IMPL')", "torch.library.Library"),
    "memory": ("class X:\n    __array_interface__ = {}", "__array_interface__"),
    "memory beyond": ("torch.as_strided(x, (1,), (1,), 10**9)", "torch.as_strided"),
    "modules by a table": ("import sys\nvars(sys)['modules']", "vars(sys)['modules']"),
    "class in a sum of lists": ("for c in [int] + [Trainer]:\n    c.log = tokenize", "c.log = …"),
    "class among members": ("import inspect\nfor _, c in inspect.getmembers(evaluate):\n    c._compute = tokenize", "c._compute = …"),
    "class by a made name": ("getattr(transformers, args.name).log = tokenize", "getattr(transformers, args.name).log = …"),
    "patched by pytest": ("import pytest\npytest.MonkeyPatch()", "pytest.MonkeyPatch"),
    "text that is run": ("exec('Trainer.log = tokenize')", "Trainer.log = …"),
    "text that is run in a text": ("exec('eval(\"trainer.train.f_back\")')", "trainer.train.f_back"),
    "bytes that are run": ("exec(b'x = 1')", "exec"),
    "text that only eval reads": ("eval(' 1')", "eval"),
    "set-up of what is timed": ("import timeit\ntimeit.timeit('1', setup=x)", "timeit.timeit"),
    "text that is timed": ("import timeit\ntimeit.timeit('Trainer.log = tokenize')", "Trainer.log = …"),
    "built-in deleted": ("def eval(x):\n    pass\ndel eval", "eval"),
    "all names": ("from gc import *", "import gc"),
    "own module": ("open('helper.py', 'w').write('x')\nimport helper", '"helper.py"'),
    "own module added up": ("open('helper.' + 'py', 'w').write('x')", '"helper.py"'),
}  # fmt: skip


UNUSUAL = {
    "dill and back": ("import dill\ndill.settings['recurse'] = True\nx = dill.loads(dill.dumps(f))", "dill.loads"),
    "cloudpickle and back": ("import cloudpickle\ncloudpickle.loads(cloudpickle.dumps(f))", "cloudpickle.loads"),
    "exit": ("from os import _exit\n_exit(0)", "import os._exit"),
    "exit by path": ("import os.path as p\np.os._exit(0)", "p.os._exit"),
    "kill": ("import os\nos.kill(1, 9)", "os.kill"),
    "exec of a program": ("import os\nos.execv('/bin/true', [])", "os.execv"),
    "system": ("import os\nos.system('true')", "os.system"),
    "popen by a library": ("import datasets\ndatasets.os.popen('true')", "datasets.os.popen"),
    "subprocess": ("from subprocess import run", "import subprocess.run"),
    "processes": ("from multiprocessing import Process", "import multiprocessing.Process"),
    "processes by a library": ("torch.multiprocessing.Process", "torch.multiprocessing.Process"),
    "socket": ("import socket", "import socket"),
    "signal": ("import signal\nsignal.alarm(0)", "import signal"),
    "thread": ("import threading\nthreading.Timer(1, print)", "import threading"),
    "low thread": ("import _thread", "import _thread"),
    "executor": ("from concurrent.futures import ThreadPoolExecutor", "import concurrent.futures.ThreadPoolExecutor"),
    "members": ("import inspect\ninspect.getmembers(model)", "inspect.getmembers"),
    "algebra": ("import sympy\nsympy.symbols('x')", "import sympy"),
    "tests": ("from pytest import approx", "import pytest.approx"),
    "pickle": ("import pickle\npickle.load(open('x', 'rb'))", "pickle.load"),
    "pickle of bytes": ("from pickle import loads\nloads(b'x')", "import pickle.loads"),
    "joblib": ("import joblib\njoblib.load('x')", "joblib.load"),
    "at exit": ("import atexit\natexit.register(print)", "import atexit"),
    "doctest": ("import doctest\ndoctest.testmod(verbose=True)", "import doctest"),
    "configured logging": ("import logging.config\nlogging.config.dictConfig({'version': 1})", "import logging.config"),
    "reload": ("import importlib, logging\nimportlib.reload(logging)", "importlib.reload"),
    "garbage": ("import gc\ngc.callbacks.append(print)", "gc.callbacks"),
    "proc": ("open('/proc/self/status')", '"/proc/self"'),
    "proc in an f-string": ("n = 1\nopen(f'/proc/{n}/stat')", '"/proc/"'),
    "descriptor by path": ("open('/dev/fd/3')", '"/dev/fd/"'),
    "link": ("import os\nos.symlink('a', 'b')", "os.symlink"),
}  # fmt: skip
"""What a teacher may want to see, and what costs nothing."""


def whats(text: str) -> list[str]:
    return [finding.what for finding in find(text) if finding.withholds]


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_script_is_not_suspected(name: str) -> None:
    assert find(HEAD + HONEST[name]) == ()


@pytest.mark.parametrize("part", [p for i in lesson.ids() for p in lesson.load(i).parts.values()])
def test_no_version_of_a_lesson_is_suspected(part: lesson.Part) -> None:
    for bugs in part.exercises():
        assert find(part.text(bugs)) == ()


def test_honest_pieces_are_not_suspected_together() -> None:
    pieces = [text for name, text in HONEST.items() if name not in ("star", "own eval")]
    assert find("\n".join([HEAD, *pieces])) == ()


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_seen_and_named(name: str) -> None:
    text, named = TAMPERING[name]
    found = [finding for finding in find(HEAD + text) if finding.withholds]
    assert named in [finding.what for finding in found]
    assert named[0] == "(" or all(
        LINES < finding.line <= LINES + 1 + text.count("\n") for finding in found
    )


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_only_unusual_withholds_nothing(name: str) -> None:
    text, named = UNUSUAL[name]
    found = find(HEAD + text)
    assert [finding.what for finding in found if finding.withholds] == []
    assert named in [finding.what for finding in found if finding.line > LINES]


@pytest.mark.parametrize("name", [n for n, (text, _) in TAMPERING.items() if "*\n" not in text])
def test_it_is_seen_within_functions_and_classes(name: str) -> None:
    text, named = TAMPERING[name]
    inner = (
        HEAD
        + "class Outer:\n  def method(self):\n"
        + "".join(f"    {x}\n" for x in text.split("\n"))
    )
    assert named in whats(inner)


def test_findings_come_in_the_order_of_the_lines() -> None:
    text = "import gc, sys\nx = 1\nsys._getframe()\n\ngc.get_objects()\nexec(x)"
    assert find(text) == (
        StaticFinding(3, "sys._getframe"),
        StaticFinding(5, "gc.get_objects"),
        StaticFinding(6, "exec"),
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_are_those_of_the_file_however_they_end(end: str, mark: str) -> None:
    assert find(mark + end.join(["x = 1", "y = '''", "'''", "exec(x)"])) == (
        StaticFinding(4, "exec"),
    )


def test_there_is_an_end_to_what_is_told() -> None:
    assert len(find("exec(x)\n" * 5_000)) == static_checks.MANY


def test_what_is_told_is_short_and_can_be_printed() -> None:
    (found,) = find(f"{'x' * 5_000}.f_back")
    assert len(found.what) <= static_checks.LONG
    assert all(f.what.isprintable() for f in find("x = '\\x1b[2J course_probe \\u202e'"))


@pytest.mark.parametrize(
    "text", ["def f(:", "x = '", "\0", "x = \ud800", "  x = 1\n y = 2", "é" * 3 + "\0", "1" * 9_000]
)
def test_nothing_is_found_in_what_python_cannot_read(text: str) -> None:
    assert find(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "-" * 50_000 + "1",
        "x = a" + ".b" * 50_000,
        "x = a" + ".b()" * 3_000,
        "x = " + "lambda: " * 20_000 + "1",
        "x = " + "not " * 50_000 + "1",
        "x = " + "1 if a else " * 5_000 + "2",
    ],
    ids=lambda t: t[4:14],
)
def test_what_is_nested_without_end_does_not_get_by(text: str) -> None:
    """Whether Python can read it depends on how deep its stack is at the moment."""
    assert find(text) == (StaticFinding(1, "(((…"),)


@pytest.mark.parametrize(
    "rows",
    [
        ["f(a.b.c)"],
        ["a{0} = b{0} = [a{1}, f(a{1})]", "def f{0}(x):\n    return f{1}(x)", "t.x{0} = f{1}(t)"],
        ["x = [y]", "y = [x]"],
        ["n = a + b", "n = m", "getattr(x, n)", "n = 's'", "open(n)"],
        ["from a import x{0}", "x{1}.a = 1"],
        ["eval(1)", "d[{0}] = Trainer", "d[0].a = x"],
    ],
    ids=lambda rows: rows[0],
)
def test_a_large_script_is_searched_in_seconds(rows: list[str]) -> None:
    text = "\n".join(rows[n % len(rows)].format(n, n - 1) for n in range(3_000))
    start = time.process_time()
    find(text)
    assert time.process_time() - start < 4


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n" * 2_000,
        "def f(a):\n    return a\n" * 40 + "f(T)\n" * 40,
        "".join(f"from a import x{n} as x\n" for n in range(99)),
    ],
    ids=["statements", "calls", "imports"],
)
def test_what_is_too_long_to_be_searched_does_not_get_by(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_checks, "NODES", 2_000)
    monkeypatch.setattr(static_checks, "FLOWS", 1_000)
    assert find(text) == (StaticFinding(1, "(((…"),)


@pytest.mark.parametrize("seed", range(20))
def test_no_text_brings_the_search_down(seed: int) -> None:
    """Pieces of Python in any order: most are no Python, and all come to an end."""
    rng = random.Random(seed)
    lines = [line for text, _ in TAMPERING.values() for line in text.split("\n")]
    for _ in range(20):
        chosen = rng.choices(lines, k=rng.randint(1, 6))
        text = rng.choice(["\n", "\n    ", "; ", ".", " + "]).join(chosen)
        assert all(1 <= f.line <= text.count("\n") + 1 for f in find(text))
