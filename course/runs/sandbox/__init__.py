"""The sandbox: a process that nothing leaves, and limits that the kernel keeps."""
