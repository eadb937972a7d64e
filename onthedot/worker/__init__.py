"""Works runs anywhere: it fetches them over HTTP and calls its own handlers."""
