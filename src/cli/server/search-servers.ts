import { visible } from '../../base/text/visible.ts'
import { searchRegistries } from '../../config/servers/add/registry/read-registry.ts'
import { optionsOf } from '../../config/servers/add/registry/plan-from-registry.ts'
import { loadSettings } from '../../config/load.ts'
import { thisMachine } from '../clients/machine.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { count, createTerminal } from '../shared/terminal/terminal.ts'

const MAX_SHOWN = 20

/** Searches the registries, and shows how each server would run here. */
export async function search(
  words: readonly string[],
  { json }: { readonly json?: true },
): Promise<void> {
  const machine = thisMachine()
  const { registries } = loadSettings({ env: machine.env, cwd: machine.cwd })
  const { hits, problems } = await searchRegistries(words, { registries, place: machine })
  for (const problem of problems) process.stderr.write(`${visible(problem)}\n`)
  const rows = hits.map((hit) => {
    const { name, title, description, version } = hit.server
    const options = optionsOf(hit)
    return {
      name,
      version,
      title,
      description,
      status: hit.status,
      registry: hit.registry,
      options,
    }
  })
  if (json) return printJson({ servers: rows, problems })
  const { line, paint, table } = createTerminal()
  if (rows.length === 0) {
    line(
      'No registry has such a server. A registry may search names alone: try a part of the name.',
    )
    return
  }
  table(
    rows
      .slice(0, MAX_SHOWN)
      .map(({ name, version, description, status, options: [first] }) => [
        first && first.problem === undefined ? paint('bold', name) : paint('gray', name),
        version,
        status === 'active' ? waysOf(first) : paint('yellow', status),
        paint('gray', description),
      ]),
  )
  if (rows.length > MAX_SHOWN)
    line(`and ${count(rows.length - MAX_SHOWN, 'other')}; --json has all`)
  line('\nAdd one: portolan server add <name>')
}

function waysOf(first: ReturnType<typeof optionsOf>[number] | undefined): string {
  if (!first) return 'names no way to run it'
  const [type = ''] = first.label.split(' ')
  return first.problem === undefined ? type : `${type}: cannot be added`
}
