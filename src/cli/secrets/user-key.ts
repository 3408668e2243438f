import { loadConfig } from '../../config/load.ts'
import { isUserKey } from '../../config/secrets/user-keys.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { LOCAL_PERSON } from '../../gateway/agents/on-behalf-of.ts'
import { createUserKeys } from '../../identity/user-keys.ts'
import { openVault } from '../../identity/vault/open-vault.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { findOwnGateway, noGateway } from '../shared/running-gateway.ts'
import { withStoredConfig } from '../shared/with-database.ts'

/**
 * Sets a key for the person behind PORTOLAN_KEY at the running gateway, or without PORTOLAN_KEY for
 * the local person. Returns a message that says where the key is.
 */
export async function setUserKey(
  name: string,
  value: string,
  options: ConfigOptions,
): Promise<string> {
  if (!isUserKey(`user.${name}`))
    throw new GatewayError('INVALID_PARAMS', `'${name}' cannot be the name of a key`, {
      hint: 'Names are made of letters, digits and "_", and do not begin with a digit.',
    })
  const config = loadConfig(await withStoredConfig(toLoadOptions(options)))
  const key = process.env['PORTOLAN_KEY']
  const gateway = await findOwnGateway(config, key)
  if (gateway) {
    await gateway.ask('POST', '/connections/keys', { name, value })
    return `${name} is set for you at ${gateway.name}.`
  }
  if (key !== undefined)
    throw new GatewayError('SERVER_UNAVAILABLE', noGateway(config.settings), {
      hint: 'Start one with `portolan serve`: only it knows whose key PORTOLAN_KEY is.',
    })
  const keys = createUserKeys(openVault(config.settings.home, process.env), () => undefined)
  await keys.set(LOCAL_PERSON, name, value)
  return `${name} is set for you, sealed in ${config.settings.home}.`
}
