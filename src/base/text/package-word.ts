/**
 * Whether a word of a command is a package or its program, with or without a version:
 * `@playwright/mcp@latest`, `/bin/chrome-devtools-mcp`, `…/@playwright/mcp/cli.js`.
 */
export function isPackageWord(word: string, name: string): boolean {
  const path = word.replaceAll('\\', '/')
  const at = path.lastIndexOf(name)
  if (at === -1) return false
  const [before, after] = [path.charAt(at - 1), path.charAt(at + name.length)]
  return ['', '/'].includes(before) && ['', '/', '@', '.'].includes(after)
}
