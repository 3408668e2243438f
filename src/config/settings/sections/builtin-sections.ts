import { z } from 'zod'
import type { SettingSpec, SettingTable } from '../../../base/setting-table.ts'
import { section } from '../section.ts'

interface WithSettings<Name extends string> {
  readonly name: Name
  readonly title: string
  readonly settings?: SettingTable
}

type Section = z.ZodPrefault<z.ZodObject<Record<string, z.ZodType>>>

/** The sections of the built-ins, by name, from the tables in their manifests. */
export function toSections<Name extends string>(
  builtins: readonly WithSettings<Name>[],
): Record<Name, Section>
export function toSections(builtins: readonly WithSettings<string>[]): Record<string, Section> {
  return Object.fromEntries(
    builtins.map(({ name, title, settings = {} }) => {
      const shape = Object.entries(settings).map(([key, spec]) => [key, toSchema(spec)])
      return [name, section(title, Object.fromEntries(shape)).prefault({})]
    }),
  )
}

function toSchema(spec: SettingSpec): z.ZodType {
  const bounds = 'min' in spec || 'max' in spec ? spec : {}
  const schema: z.ZodType = SCHEMAS[spec.type](bounds)
  const whole = spec.default === undefined ? schema.optional() : schema.default(spec.default)
  return whole.describe(spec.text)
}

interface Bounds {
  readonly min?: number
  readonly max?: number
}

const SCHEMAS = {
  string: () => z.string(),
  url: () => z.url({ protocol: /^https?$/ }),
  boolean: () => z.boolean(),
  list: () => z.array(z.string()),
  folders: () => z.array(z.string()),
  number: (bounds: Bounds) => within(z.number(), bounds),
  integer: (bounds: Bounds) => within(z.int(), bounds),
} satisfies Record<SettingSpec['type'], (bounds: Bounds) => z.ZodType>

function within(schema: z.ZodNumber, { min, max }: Bounds): z.ZodNumber {
  const above = min === undefined ? schema : schema.min(min)
  return max === undefined ? above : above.max(max)
}
