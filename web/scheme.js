// Runs before the first paint, so that a chosen scheme does not flash.
document.documentElement.dataset.scheme = localStorage.getItem('gass-scheme') ?? 'auto';
