import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { CodeInitFlags } from './run-code-init.ts'
import { printJson } from '../../shared/terminal/print-json.ts'

/** `portolan code init`, and the hook it installs. */
export function registerInit(code: Command): void {
  code
    .command('init')
    .description('make this project ready for agents that search its code; twice is as once')
    .option('--no-claude-md', 'leave CLAUDE.md alone')
    .option('--no-agents-md', 'leave AGENTS.md alone')
    .option('--no-opencode-mcp', 'leave opencode.json alone')
    .option('--no-opencode-skills', 'no skills; Claude Code and OpenCode both read them')
    .option('--no-claude-mcp', 'leave .mcp.json alone')
    .option('--no-claude-settings', 'no permissions in .claude/settings.json')
    .option('--no-claude-hook', 'no reminder of the index before Grep and Glob')
    .option('--json', 'print JSON')
    .action(async ({ json, ...flags }: CodeInitFlags & { json?: true }) => {
      const [{ runCodeInit }, { createPaint }] = await Promise.all([
        import('./run-code-init.ts'),
        import('../../shared/terminal/paint.ts'),
      ])
      const report = runCodeInit(process.cwd(), flags)
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
    .description('answers the PreToolUse hook of Claude Code, from standard input; never fails')
    .action(async () => {
      const { nudge } = await import('./nudge.ts')
      const output = await nudge(await text(process.stdin), process.env)
      if (output !== undefined) process.stdout.write(`${output}\n`)
    })
}
