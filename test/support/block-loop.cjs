// Preloaded into a gateway, so that a test can block its event loop: in JavaScript, or in a regular expression.
const { isMainThread } = require('node:worker_threads')

if (isMainThread) {
  process.on('SIGUSR2', function blockedByTheTest() {
    const until = Date.now() + Number(process.env.BLOCK_MS ?? 600_000)
    if (process.env.BLOCK_IN === 'pattern') /^(a+)+$/.test(`${'a'.repeat(60)}b`)
    while (Date.now() < until);
  })
}
