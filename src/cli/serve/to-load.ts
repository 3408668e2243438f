import type { SettingsInput } from '../../config/settings/settings.ts'
import { toLoadOptions } from '../shared/config-options.ts'
import type { ServeFlags } from './serve-flags.ts'

export function toLoad(flags: ServeFlags) {
  const listen = {
    ...(flags.port !== undefined && { port: flags.port }),
    ...(flags.host !== undefined && { host: flags.host }),
  }
  const overrides: SettingsInput = {
    ...(Object.keys(listen).length > 0 && { listen }),
    ...(flags.debug && { debug: true }),
  }
  const options = toLoadOptions(flags)
  return { ...options, flags: { ...options.flags, overrides } }
}
