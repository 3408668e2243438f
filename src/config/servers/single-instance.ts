/**
 * Servers that drive one browser, whose profile only one process can open: a second process of them
 * fails. By the name of their package or program, without a version.
 */
const BROWSER_SERVERS = [
  '@playwright/mcp',
  'mcp-server-playwright',
  '@executeautomation/playwright-mcp-server',
  'playwright-mcp-server',
  'chrome-devtools-mcp',
  '@modelcontextprotocol/server-puppeteer',
  'mcp-server-puppeteer',
  'puppeteer-mcp-server',
]

/** With this flag each process has a browser profile of its own. */
const ISOLATED = '--isolated'

/** Whether a command starts a server of which only one process works at a time. */
export function isSingleInstance(command: string, args: readonly string[]): boolean {
  if (args.some((arg) => arg === ISOLATED || arg === `${ISOLATED}=true`)) return false
  return [command, ...args].some((word) => BROWSER_SERVERS.some((name) => names(word, name)))
}

/** `npx @playwright/mcp@latest`, `/usr/bin/chrome-devtools-mcp`, `…/node_modules/@playwright/mcp/cli.js`. */
function names(word: string, name: string): boolean {
  const path = word.replaceAll('\\', '/')
  const at = path.lastIndexOf(name)
  if (at === -1) return false
  const [before, after] = [path.charAt(at - 1), path.charAt(at + name.length)]
  return ['', '/'].includes(before) && ['', '/', '@', '.'].includes(after)
}
