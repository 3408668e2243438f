import type { Command } from '@commander-js/extra-typings'

/** Registers the command with which a bridge starts the gateway of its person. */
export function registerBackground(program: Command): void {
  program.command('background-gateway').action(async () => {
    const { serveInBackground } = await import('../serve/background.ts')
    await serveInBackground()
  })
}

export function registerStatus(program: Command): void {
  program
    .command('status')
    .description('show the gateway that your MCP clients share, and who uses it')
    .option('--json', 'print JSON')
    .action(async ({ json }) => {
      const { showStatus } = await import('./status.ts')
      await showStatus(json === true)
    })
}

export function registerStop(program: Command): void {
  program
    .command('stop')
    .description('stop the gateway that your MCP clients share')
    .action(async () => {
      const { stopGateway } = await import('./stop.ts')
      await stopGateway()
    })
}
