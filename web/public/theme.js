// Runs before the first paint, so that a chosen theme does not flash the other one.
const chosen = localStorage.getItem('portolan.theme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
