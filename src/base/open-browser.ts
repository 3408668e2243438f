import { spawn } from 'node:child_process'

const COMMANDS: Readonly<Record<string, string>> = {
  darwin: 'open',
  win32: 'explorer',
  linux: 'xdg-open',
}

/** Opens a page in the browser of the desktop; returns false if that fails. */
export async function openBrowser(url: string): Promise<boolean> {
  const command = COMMANDS[process.platform]
  if (command === undefined) return false
  return new Promise((resolve) => {
    const child = spawn(command, [url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
