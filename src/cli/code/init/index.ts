import { text } from 'node:stream/consumers'
import type { Command } from '@commander-js/extra-typings'
import { printJson } from '../../shared/terminal/print-json.ts'

/** `portolan code init`, and the hook it installs. */
export function registerInit(code: Command): void {
  code
    .command('init')
    .description('prepare this project for agents that search its code; can be repeated')
    .option('--no-claude-md', 'do not change CLAUDE.md')
    .option('--no-agents-md', 'do not change AGENTS.md')
    .option('--no-opencode-mcp', 'do not change opencode.json')
    .option('--no-opencode-skills', 'install no skills; Claude Code and OpenCode both read them')
    .option('--no-claude-mcp', 'do not change .mcp.json')
    .option('--no-claude-settings', 'add no permissions to .claude/settings.json')
    .option('--no-claude-hook', 'add no reminder of the index before Grep and Glob')
    .option('--json', 'print JSON')
    .action(async ({ json, ...flags }) => {
      const [{ runCodeInit }, { createPaint }, { changeFiles }] = await Promise.all([
        import('./run-code-init.ts'),
        import('../../shared/terminal/paint.ts'),
        import('../../shared/files/change-files.ts'),
      ])
      const place = { cwd: process.cwd(), env: process.env }
      const report = await changeFiles(place, { reason: 'code init' }, () =>
        runCodeInit(place.cwd, flags),
      )
      if (json) return printJson(report)
      const paint = createPaint()
      for (const name of report.written) process.stdout.write(`${paint('green', '✔')} ${name}\n`)
      for (const name of report.changed)
        process.stdout.write(`${paint('green', '✔')} ${name}, added to\n`)
      for (const name of report.kept)
        process.stdout.write(`${paint('gray', '·')} ${name} is unchanged\n`)
      process.stdout.write('\nNext: portolan code index\n')
    })
  code
    .command('hook', { hidden: true })
    .description('answer the PreToolUse hook of Claude Code on standard input; never fails')
    .action(async () => {
      const { nudge } = await import('./nudge.ts')
      const output = await nudge(await text(process.stdin), process.env)
      if (output !== undefined) process.stdout.write(`${output}\n`)
    })
}
