import { styleText } from 'node:util'
import type { Command } from '@commander-js/extra-typings'
import { visible } from '../../base/text/visible.ts'
import type { CheckReport, CheckedFile } from '../../config/check.ts'
import type { LoadOptions } from '../../config/load.ts'
import type { Problem } from '../../config/problem.ts'
import { sharedServicesWarning } from '../../config/shared-services.ts'
import { toLoadOptions, withConfigOptions } from '../shared/config-options.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { printJson } from '../shared/terminal/print-json.ts'

export function registerCheck(program: Command): void {
  withConfigOptions(program.command('check'))
    .description('validate .mcp.json, .mcp-gateway-rules.json and portolan.yaml')
    .option('--json', 'print the report as JSON on stdout')
    .action(async (options) => {
      const [{ checkConfig }, { describeProblem }] = await Promise.all([
        import('../../config/check.ts'),
        import('../../config/problem.ts'),
      ])
      const load = await withStoredConfig(toLoadOptions(options))
      const valid = checkConfig(load)
      const checked = valid.ok ? await withTools(valid, load) : valid
      const shared = sharedServicesWarning(process.env)
      const more = shared ? [`${shared.message}. ${shared.fix}`] : []
      const report = { ...checked, warnings: [...checked.warnings, ...more] }
      if (options.json) printJson(report)
      else process.stderr.write(describeReport(report, describeProblem))
      if (!report.ok) process.exitCode = 1
    })
}

/** Adds what entries and rules say of tools that do not exist, by what servers listed last. */
async function withTools(report: CheckReport, load: LoadOptions): Promise<CheckReport> {
  const [{ loadConfig }, { knownOverrideProblems, knownTools }, { undefinedTools }] =
    await Promise.all([
      import('../../config/load.ts'),
      import('../../app/health/server-tools.ts'),
      import('../../config/rules/undefined-names.ts'),
    ])
  const config = loadConfig(load)
  const problems = await knownOverrideProblems(config)
  const known = config.rules ? await knownTools(config) : []
  const toolsOf = (server: string) =>
    known.flatMap((name) => (name.startsWith(`${server}.`) ? name.slice(server.length + 1) : []))
  const unknown = config.rules ? undefinedTools(config.rules, toolsOf) : []
  return {
    ...report,
    ok: problems.length === 0,
    errors: [...report.errors, ...problems],
    warnings: [...report.warnings, ...unknown],
  }
}

function describeReport(report: CheckReport, describe: (problem: Problem) => string): string {
  const lines = [
    ...report.files.map((file) => line('green', '✓', describeFile(file))),
    ...report.leftOut.map(({ message, command, changes }) =>
      [
        line('yellow', '⚠', `${message} Read it, then run: ${command}`),
        ...(changes?.inForce ?? []).map((change) => `    applies now: ${visible(change)}\n`),
        ...(changes?.waiting ?? []).map((change) => `    waits: ${visible(change)}\n`),
      ].join(''),
    ),
    ...report.warnings.map((warning) => line('yellow', '⚠', warning)),
    ...report.errors.map((error) => line('red', '✗', describe(error))),
  ]
  return lines.join('')
}

/** Describes a file's content and whether it applies in every folder. `doctor` uses it too. */
export function describeFile({ path, level, summary }: CheckedFile): string {
  if (path === undefined) return summary
  return `${path}: ${summary}${level === 'user' ? ', in every folder' : ''}`
}

function line(colour: 'green' | 'yellow' | 'red', mark: string, text: string): string {
  const isColoured = process.stderr.isTTY && !process.env['NO_COLOR']
  return `${isColoured ? styleText(colour, mark) : mark} ${text}\n`
}
