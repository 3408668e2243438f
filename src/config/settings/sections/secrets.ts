import { z } from 'zod'
import { section } from '../section.ts'

const NAME = /^[A-Za-z][\w-]*$/

/** Where secrets of server entries come from. */
export const secrets = section('Secrets in other vaults. Read only from your own settings.', {
  helpers: z
    .record(
      z.string().regex(NAME, 'must be letters, digits, "_" and "-", and begin with a letter'),
      z.array(z.string()).min(1),
    )
    .default({})
    .describe(
      'Commands that print a secret, by the name in `${name:…}`, such as `pass: ["pass", "show", "{ref}"]`; `{ref}` stands for what follows the name. `op` (1Password) and `keychain` (macOS, Linux) need no setting.',
    ),
})
