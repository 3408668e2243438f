import type { Outcome, Trial } from './try-server.ts'

export interface Row extends Trial {
  readonly name: string
  readonly version: string
  /** Why it cannot list its tools here, where that is known. */
  readonly unlisted: string | undefined
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  answered: 'answered',
  error: 'answered with an error',
  refused: 'refused by the gateway',
}

/** The page of the reference. It has no times: they would change with every run. */
export function renderTable(rows: readonly Row[]): string {
  const sorted = rows.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  const listed = sorted.filter(({ failure }) => failure === undefined)
  return [
    '# Compatibility',
    '',
    'Written by `npm run test:compat`, which installs these servers from npm at these versions and uses each through a running gateway. They have no account and no network: a call that needs one is answered with an error by the server itself, which is recorded as such.',
    '',
    `${listed.length} of ${sorted.length} servers list their tools here: ${sum(listed, 'tools')} tools, ${sum(listed, 'tokens')} tokens of definitions.`,
    '',
    '- **first safe call**: the first tool that only reads and needs no arguments.',
    '- **no arguments**: tools whose required arguments all have defaults, called with none.',
    '- **in a row**: calls that build on each other, such as opening a page and reading it.',
    '- **two clients**: two clients at the same time get the same.',
    '',
    '| server | version | tools | tokens | first safe call | no arguments | in a row | two clients |',
    '| --- | --- | ---: | ---: | --- | --- | --- | --- |',
    ...sorted.map(toLine),
    '',
  ].join('\n')
}

function toLine({ name, version, tools, tokens, failure, unlisted, ...trial }: Row): string {
  if (failure !== undefined)
    return `| ${name} | ${version} | – | – | lists nothing: ${unlisted ?? plain(failure)} | | | |`
  const { safe, empty, story, together } = trial
  const cells = [
    name,
    version,
    tools,
    tokens,
    safe ? `\`${safe.tool}\`: ${OUTCOMES[safe.outcome]}` : 'none',
    empty.length === 0
      ? ''
      : `${empty.filter(({ outcome }) => outcome !== 'refused').length} of ${empty.length} sent`,
    story ?? '',
    together === undefined ? '' : together ? 'yes' : 'no',
  ]
  return `| ${cells.join(' | ')} |`
}

function plain(failure: string): string {
  return failure
    .replace(/^Server unavailable: '\w+':? ?/, '')
    .replaceAll(/[|\n]/g, ' ')
    .slice(0, 160)
}

function sum(rows: readonly Row[], key: 'tools' | 'tokens'): string {
  return rows.reduce((total, row) => total + row[key], 0).toLocaleString('en')
}
