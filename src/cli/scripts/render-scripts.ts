import type { ScriptVersion } from '../../protocol/saved-scripts.ts'
import type { Terminal } from '../shared/terminal/terminal.ts'

export function renderScripts(
  versions: readonly ScriptVersion[],
  { table, line, paint }: Pick<Terminal, 'table' | 'line' | 'paint'>,
): void {
  if (versions.length === 0) {
    line('No scripts are saved. `portolan scripts save` saves one.')
    return
  }
  table(
    versions.map((each) => [
      each.name,
      `version ${each.version}`,
      paint(STYLES[stateOf(each)], stateOf(each)),
      `by ${each.author}`,
      new Date(each.createdAt).toISOString().slice(0, 10),
      each.description.split('\n')[0]?.slice(0, 80) ?? '',
    ]),
    '',
  )
}

const STYLES = { active: 'green', proposed: 'yellow', approved: 'dim', rejected: 'red' } as const

function stateOf({ isActive, state }: ScriptVersion): keyof typeof STYLES {
  return isActive ? 'active' : state
}

/** What became of a version, and what can be done next. */
export function describeVersion(script: ScriptVersion): string {
  const { name, version } = script
  const next = {
    active: `calls of scripts.${name} run it.`,
    proposed: `it waits: \`portolan scripts approve ${name} --version ${version}\` makes it a tool.`,
    approved: `another version is active; \`portolan scripts approve ${name} --version ${version}\` goes back to it.`,
    rejected: `it is rejected; \`portolan scripts approve ${name} --version ${version}\` changes that.`,
  }
  return `${name} version ${version}: ${next[stateOf(script)]}`
}
