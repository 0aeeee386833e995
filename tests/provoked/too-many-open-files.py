"""Files that are opened and never closed."""

import resource

_least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, most))
pictures = [open("/dev/null", "rb") for _number in range(100)]
