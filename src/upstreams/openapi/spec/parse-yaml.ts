import type { ScalarTagDefinition } from 'js-yaml'
import type { ScalarTag, Tags } from 'yaml'
import { ExactNumber, readNumber } from '../../../base/json/exact-json.ts'

/**
 * Parses YAML with js-yaml, which builds no tree of nodes: an eighth of the time and less than half
 * of the memory for the largest public descriptions. Files that it rejects go to the `yaml` parser,
 * which accepts more and says where a file is broken; so do files with aliases, whose expansion
 * that parser limits.
 */
export async function parseYaml(content: string): Promise<unknown> {
  const { CORE_SCHEMA, floatCoreTag, intCoreTag, load } = await import('js-yaml')
  const schema = CORE_SCHEMA.withTags(withExactNumbers(intCoreTag), withExactNumbers(floatCoreTag))
  try {
    return load(content, { schema, json: true, maxAliases: 0 })
  } catch {
    const { parse } = await import('yaml')
    const customTags = (tags: Tags): Tags => [EXACT, ...tags]
    return parse(content, { strict: false, uniqueKeys: false, customTags })
  }
}

/** A number as JSON writes it. YAML has other forms too, which the parsers read as usual. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** An unquoted `1.10` is a number, but where text is wanted it is not `1.1`. */
const LAST_ZERO = /\.\d*0$/

function readYamlNumber(source: string): number | ExactNumber {
  return LAST_ZERO.test(source) ? new ExactNumber(source) : readNumber(source)
}

const EXACT: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: JSON_NUMBER,
  resolve: readYamlNumber,
}

function withExactNumbers(
  tag: ScalarTagDefinition<number>,
): ScalarTagDefinition<number | ExactNumber> {
  return {
    ...tag,
    resolve: (source, ...more) =>
      JSON_NUMBER.test(source) ? readYamlNumber(source) : tag.resolve(source, ...more),
  }
}
