import { z } from 'zod'
import { visibleName } from '../../../../base/text/visible.ts'

/** No text of an entry has more; the longest published description has a few hundred. */
const MAX_CHARS = 4_000
const MAX_ITEMS = 200

const text = z.string().max(MAX_CHARS)
/** Text for people: of others, so that nothing of it can write over a terminal, or hide. */
const shown = text.transform((value) => visibleName(value).slice(0, 300))
const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(MAX_ITEMS).default([])

const inputShape = {
  description: shown.default(''),
  isRequired: z.boolean().default(false),
  isSecret: z.boolean().default(false),
  format: z.string().default('string'),
  value: text.optional(),
  default: text.optional(),
  placeholder: shown.optional(),
  choices: list(text),
}
const input = z.object(inputShape)
const variables = z.record(text, input).default({})
const inputWithVariables = input.extend({ variables })
const keyValue = inputWithVariables.extend({ name: text })
const argument = z.discriminatedUnion('type', [
  inputWithVariables.extend({ type: z.literal('positional'), valueHint: text.optional() }),
  inputWithVariables.extend({ type: z.literal('named'), name: text }),
])

const registryPackage = z.object({
  registryType: shown,
  registryBaseUrl: text.optional(),
  identifier: text,
  version: text.optional(),
  transport: z.object({ type: shown }).default({ type: 'stdio' }),
  runtimeArguments: list(argument),
  packageArguments: list(argument),
  environmentVariables: list(keyValue),
})

const remote = z.object({ type: shown, url: text, headers: list(keyValue), variables })

/** What `server.json` of the registry says, as far as it is used. Its names are camelCase since 2025-09. */
export const registryServer = z.object({
  name: z.string().regex(/^[a-zA-Z0-9.-]{1,120}\/[a-zA-Z0-9._-]{1,120}$/),
  title: shown.optional(),
  description: shown.default(''),
  version: text.regex(/^[\w.+-]{1,255}$/),
  packages: list(registryPackage),
  remotes: list(remote),
})

const OFFICIAL = 'io.modelcontextprotocol.registry/official'
const meta = z.object({
  [OFFICIAL]: z
    .object({ status: z.string().optional(), isLatest: z.boolean().optional() })
    .optional(),
})

export type RegistryServer = z.output<typeof registryServer>
export type RegistryPackage = z.output<typeof registryPackage>
export type RegistryRemote = z.output<typeof remote>
export type RegistryInput = z.output<typeof input>
export type RegistryArgument = z.output<typeof argument>
export type RegistryKeyValue = z.output<typeof keyValue>

/** A server of a registry, and what the registry says about it. */
export interface RegistryEntry {
  readonly server: RegistryServer
  readonly status: string
  readonly isLatest: boolean
}

const answer = z.object({ server: registryServer, _meta: meta.optional() })

/** Reads an entry of an answer, or a bare `server.json`; undefined for one that does not fit. */
export function toRegistryEntry(value: unknown): RegistryEntry | undefined {
  const wrapped = answer.safeParse(value)
  const bare = wrapped.success ? undefined : registryServer.safeParse(value)
  const { server = bare?.data, _meta: about } = wrapped.data ?? {}
  if (!server) return undefined
  const { status = 'active', isLatest = true } = about?.[OFFICIAL] ?? {}
  return { server, status: visibleName(status), isLatest }
}
