import { compilePattern, isGlob } from '../../base/text/glob.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { type ServerOverrides, rulesAbout } from '../../gateway/tools/overrides.ts'
import type { LeftOut, Listing, Tool, ToolNames } from '../../gateway/upstream.ts'
import { OverrideMistake, reshapeTool } from './reshape-tool.ts'

/** Names or patterns of tools to offer exclusively, and of those to leave out. */
interface ToolChoice {
  readonly only?: readonly string[]
  readonly without?: readonly string[]
}

/** What the entry of a server says about its tools. */
export interface Shape {
  /** A tool that one of these leaves out is neither listed nor callable. */
  readonly choices?: readonly (ToolChoice | undefined)[]
  readonly overrides?: ServerOverrides | undefined
  /** A second set, of a changed entry that nobody has trusted: only what it hides counts. */
  readonly changedOverrides?: ServerOverrides | undefined
}

export interface Reshaping {
  readonly names: ToolNames | undefined
  readonly isOffered: (tool: string) => boolean
  readonly toListing: (whole: Listing) => Listing
}

/**
 * Compiles what an entry says about the tools of its server. A tool whose override is wrong is left
 * out: what the override was to hide or to fix must not be open instead.
 */
export function createReshaping({ choices = [], overrides, changedOverrides }: Shape): Reshaping {
  const tests = choices.flatMap((choice) => (choice ? [offeredBy(choice)] : []))
  const said = [overrides, changedOverrides].flatMap((one) => one ?? [])
  const isOffered = (tool: string) =>
    tests.every((test) => test(tool)) &&
    said.every(({ tools }) => rulesAbout(tools, [tool])?.hidden !== true)
  const names = overrides && namesOf(overrides)
  return {
    names,
    isOffered,
    toListing(whole) {
      const offered = whole.tools.filter(({ name }) => isOffered(name))
      if (!overrides) return { ...whole, tools: offered }
      const { tools, leftOut } = reshapeAll(offered, whole, overrides)
      return {
        ...whole,
        tools,
        ...(leftOut.length > 0 && { leftOut: [...(whole.leftOut ?? []), ...leftOut] }),
        ...(overrides.instructions !== undefined && { instructions: overrides.instructions }),
      }
    },
  }
}

function offeredBy({ only, without = [] }: ToolChoice): (tool: string) => boolean {
  const [kept, dropped] = [only, without].map((patterns) => patterns?.map(compilePattern))
  return (tool) =>
    (kept?.some((matches) => matches(tool)) ?? true) && !dropped?.some((matches) => matches(tool))
}

/** Names do not depend on what a server lists, so no server can take over a name that was given. */
function namesOf({ tools }: ServerOverrides): ToolNames | undefined {
  const shown = new Map(
    Object.entries(tools).flatMap(([own, { name, mistake }]) =>
      name === undefined || mistake !== undefined ? [] : [[own, name] as const],
    ),
  )
  if (shown.size === 0) return undefined
  const own = new Map([...shown].map(([from, to]) => [to, from]))
  return {
    toOwn: (called) => own.get(called) ?? called,
    toShown: (name) => shown.get(name) ?? name,
  }
}

function reshapeAll(
  offered: readonly Tool[],
  whole: Listing,
  overrides: ServerOverrides,
): { readonly tools: Tool[]; readonly leftOut: LeftOut[] } {
  const { tools: said } = overrides
  const names = namesOf(overrides)
  const leftOut: LeftOut[] = unusedKeys(whole, said)
  const tools = offered.flatMap((tool) => {
    const { name } = tool
    try {
      mustKeepName(name, names)
      const override = rulesAbout(said, [name])
      if (!override) return [tool]
      if (override.mistake !== undefined) throw new OverrideMistake(override.mistake)
      const own = Object.hasOwn(said, name) ? said[name] : undefined
      return [reshapeTool(tool, override, Object.keys(own?.parameters ?? {}))]
    } catch (error) {
      if (!(error instanceof OverrideMistake)) throw error
      const at = [`tools.${name}`, error.at].filter(Boolean).join('.')
      leftOut.push({ kind: 'tool', name, reason: error.message, at })
      return []
    }
  })
  return { tools, leftOut }
}

/** Throws if another tool was given the name of this one. */
function mustKeepName(name: string, names: ToolNames | undefined): void {
  const owner = names?.toOwn(name) ?? name
  if (owner !== name && names?.toShown(name) === name)
    throw new OverrideMistake(`"${owner}" has its name; give one of them another`)
}

/** Reports what is said of tools that the server does not have, once it has listed its tools. */
function unusedKeys({ tools, serverInfo }: Listing, said: ServerOverrides['tools']): LeftOut[] {
  if (tools.length === 0 && serverInfo === undefined) return []
  const names = tools.map(({ name }) => name)
  return Object.keys(said).flatMap((key) => {
    const isUsed = isGlob(key) ? names.some(compilePattern(key)) : names.includes(key)
    if (isUsed) return []
    const reason = isGlob(key)
      ? 'the pattern matches no tool of the server'
      : ['the server has no tool of this name', didYouMean(key, names)].filter(Boolean).join('. ')
    return [{ kind: 'override', name: key, reason, at: `tools.${key}` }]
  })
}
