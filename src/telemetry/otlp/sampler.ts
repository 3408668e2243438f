/** Whether a trace is recorded: by the word of the parent, or by the id of the trace. */
export type Sampler = (traceId: string, parentSampled: boolean | undefined) => boolean

const WHOLE = 2 ** 32

/** The samplers by the names of OTEL_TRACES_SAMPLER. */
export function parseSampler(
  name = '',
  argument = '',
): { readonly sampler: Sampler; readonly warning?: string } {
  const parented = name === '' || name.startsWith('parentbased_')
  const root = name === '' ? 'always_on' : name.replace(/^parentbased_/, '')
  const decide = rootSampler(root, argument)
  if (decide === undefined)
    return {
      sampler: (_, parentSampled) => parentSampled ?? true,
      warning: `OTEL_TRACES_SAMPLER=${name} is not known here: parentbased_always_on is used`,
    }
  if (!parented) return { sampler: (traceId) => decide(traceId) }
  return { sampler: (traceId, parentSampled) => parentSampled ?? decide(traceId) }
}

function rootSampler(name: string, argument: string): ((traceId: string) => boolean) | undefined {
  if (name === 'always_on') return () => true
  if (name === 'always_off') return () => false
  if (name !== 'traceidratio') return undefined
  const ratio = argument === '' ? 1 : Number(argument)
  const limit = (Number.isFinite(ratio) ? Math.min(Math.max(ratio, 0), 1) : 1) * WHOLE
  // The end of the id is random in every version of Trace Context: all who sample alike agree on it.
  return (traceId) => Number.parseInt(traceId.slice(-8), 16) < limit
}
