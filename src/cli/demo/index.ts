import type { Command } from '@commander-js/extra-typings'

/** Registers `portolan demo`, a tour that needs no setup and leaves nothing behind. */
export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('a tour with sample servers, an API, rules, budgets and code search')
    .option('--fast', 'do not pause between the steps')
    .option('--json', 'print the steps as JSON on stdout')
    .action(async ({ fast = false, json = false }) => {
      const { runDemo } = await import('./run-demo.ts')
      await runDemo({ fast, json })
    })
}

/** Registers the sample servers that the tour connects to. */
export function registerDemoServer(program: Command): void {
  program
    .command('demo-server', { hidden: true })
    .argument('<name>')
    .action(async (name) => {
      const { serveSample } = await import('./serve-sample.ts')
      await serveSample(name)
      process.exit(0)
    })
}
