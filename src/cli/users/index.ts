import { randomBytes } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { GatewayError } from '../../gateway/errors.ts'
import { text } from 'node:stream/consumers'
import type { Users } from '../../identity/incoming/accounts/users.ts'
import { withConfigOptions } from '../shared/config-options.ts'
import { roleOption, splitNames, withKeys, withUsers } from '../shared/identity-stores.ts'
import { printJson } from '../shared/terminal/print-json.ts'

export function registerUsers(program: Command): void {
  const users = program
    .command('users')
    .description('create and remove users who sign in with a name and a password')

  withConfigOptions(users.command('create'))
    .description(
      'create a user, or set a new password, which signs them out everywhere; it is printed once, on stdout',
    )
    .argument('<name>')
    .option('--groups <names>', 'groups of the user, separated by commas', splitNames)
    .addOption(roleOption())
    .option('--password-stdin', 'read the password from stdin instead of generating one')
    .action(async (name, options, command) => {
      const { isUserName } = await import('../../gateway/agents/agent-id.ts')
      if (!isUserName(name))
        throw new GatewayError('INVALID_PARAMS', `"${name}" is not a name of a person`, {
          hint: 'Names are made of letters, digits, "_", ".", "-", "@" and "+".',
        })
      const { MIN_PASSWORD_LENGTH } = await import('../../identity/incoming/accounts/users.ts')
      const own = options.passwordStdin ? (await text(process.stdin)).trimEnd() : undefined
      if (own !== undefined && own.length < MIN_PASSWORD_LENGTH)
        throw new GatewayError('INVALID_PARAMS', 'The password is too short', {
          hint: `Give at least ${MIN_PASSWORD_LENGTH} characters on stdin.`,
        })
      const password = own ?? randomBytes(18).toString('base64url')
      await withUsers(options, async (all) => {
        const known = await all.find(name)
        // Whoever only gets another password keeps the rest.
        const isRoleGiven = command.getOptionValueSource('role') === 'cli'
        const role = known && !isRoleGiven ? known.role : options.role
        await all.save({ name, groups: options.groups ?? known?.groups ?? [], role }, password)
      })
      if (own === undefined) process.stdout.write(`${password}\n`)
      process.stderr.write(
        `${name} can sign in${own === undefined ? ' with this password, which is not shown again' : ''}.\n`,
      )
    })

  withConfigOptions(users.command('list'))
    .description('list the users, with their groups and roles')
    .option('--json', 'print them as JSON')
    .action(async (options) => {
      const found = await withUsers(options, async (all) => all.list())
      if (options.json) printJson(found)
      else for (const user of found) process.stdout.write(`${describeUser(user)}\n`)
      if (found.length === 0)
        process.stderr.write('There are no people. `portolan users create <name>` makes one.\n')
    })

  withConfigOptions(users.command('remove'))
    .description(
      'remove a user with their sign-ins and keys; their clients are signed out within seconds',
    )
    .argument('<name>')
    .action(async (name, options) => {
      const { forgetPerson, revokeKeysOf } = await import('../../identity/forget-person.ts')
      const known = await withUsers(options, async (all, vault) => {
        const found = await all.find(name)
        await all.remove(name)
        if (found) await forgetPerson(found, vault)
        return found
      })
      if (!known)
        throw new GatewayError('INVALID_PARAMS', `There is no user "${name}"`, {
          hint: '`portolan users list` shows them.',
        })
      await withKeys(options, async (keys) => revokeKeysOf(name, keys))
      process.stderr.write(`${name} is removed.\n`)
    })
}

function describeUser({
  name,
  groups,
  role,
  state,
  createdAt,
}: Awaited<ReturnType<Users['list']>>[number]): string {
  const since = new Date(createdAt).toISOString().slice(0, 10)
  const named = groups.length > 0 ? groups.join(', ') : 'no groups'
  const isOff = state === 'active' ? '' : `${state}  `
  return `${name}  ${named}  ${isOff}${role === 'agent' ? '' : `${role}  `}since ${since}`
}
