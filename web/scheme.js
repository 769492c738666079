// Runs before the first paint, so that a chosen scheme does not flash.
let scheme = null;
try { scheme = JSON.parse(localStorage.getItem('gass-scheme')); } catch { /* this browser keeps nothing */ }
document.documentElement.dataset.scheme = scheme ?? 'auto';
