import { spawn } from 'node:child_process'

const COMMANDS: Readonly<Record<string, string>> = {
  darwin: 'open',
  win32: 'explorer',
  linux: 'xdg-open',
}

/** Asks the desktop to show a page; false where there is no desktop to ask. */
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
