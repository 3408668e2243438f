import { visible } from '../../base/text/visible.ts'
import type { Values } from '../../config/servers/add/fill-plan.ts'
import type { DeclaredVariable, ServerPlan } from '../../config/servers/add/server-plan.ts'
import { askWithoutEcho } from '../secrets/read-secret.ts'
import type { Terminal } from '../shared/terminal/terminal.ts'

/** More optional values than this are named, and not asked for. */
const MAX_ASKED = 5

/** Asks a person for the values that were not given; others may be missing. */
export async function askFor(plan: ServerPlan, given: Values, terminal: Terminal): Promise<Values> {
  const open = plan.variables.filter(({ name }) => given[name] === undefined)
  const optional = open.filter((one) => !one.isRequired)
  const isAsked = ({ isRequired }: DeclaredVariable) => isRequired || optional.length <= MAX_ASKED
  const named = optional.filter((one) => !isAsked(one))
  if (named.length > 0 || (!terminal.canAsk && optional.length > 0)) {
    const names = (terminal.canAsk ? named : optional).map(({ name }) => name)
    terminal.line(`  Optional, with --env NAME=value: ${names.join(', ')}`)
  }
  if (!terminal.canAsk) return given
  const values: Record<string, string> = { ...given }
  for (const one of open.filter(isAsked)) {
    const value = await askOne(one, terminal)
    if (value !== '') values[one.name] = value
  }
  return values
}

async function askOne(variable: DeclaredVariable, { ask, line, paint }: Terminal): Promise<string> {
  const { name, description, isRequired, isSecret, choices, placeholder } = variable
  if (description !== '') line(paint('gray', `  ${description}`))
  const about = [
    choices.length > 0 ? visible(choices.join(', ')) : '',
    variable.default === undefined ? '' : `Enter for ${variable.default}`,
    isRequired || variable.default !== undefined ? '' : 'optional, Enter for none',
    placeholder === undefined ? '' : `such as ${placeholder}`,
  ].filter((part) => part !== '')
  const question = `${name}${about.length === 0 ? '' : ` (${about.join('; ')})`}:`
  const value = isSecret ? await askWithoutEcho(`? ${visible(question)} `) : await ask(question, '')
  return value.trim()
}
