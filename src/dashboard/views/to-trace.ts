import type { JsonObject } from '../../base/json/json.ts'
import type { Amendment, Trace, TraceDetail } from '../contract/builtins.ts'
import { numberOf, objectsOf, textOf, textsOf } from '../fields.ts'

const PREVIEW = 280

/** Returns the summary of a trace from the service's API. */
export function toTrace(trace: JsonObject): Trace {
  const context = textOf(trace, 'context_text') ?? ''
  return {
    id: textOf(trace, 'id') ?? '',
    title: textOf(trace, 'title') ?? '',
    status: trace['status'] === 'validated' ? 'validated' : 'pending',
    flagged: trace['is_flagged'] === true,
    tags: textsOf(trace, 'tags'),
    preview: context.length > PREVIEW ? `${context.slice(0, PREVIEW)}…` : context,
    trust: numberOf(trace, 'trust_score') ?? 0,
    confirmations: numberOf(trace, 'confirmation_count') ?? 0,
    retrievals: numberOf(trace, 'retrieval_count') ?? 0,
    contributor: textOf(trace, 'contributor_name') ?? '',
    createdAt: textOf(trace, 'created_at') ?? '',
    score: numberOf(trace, 'combined_score'),
  }
}

export function toTraceDetail(trace: JsonObject): TraceDetail {
  return {
    ...toTrace(trace),
    context: textOf(trace, 'context_text') ?? '',
    solution: textOf(trace, 'solution_text') ?? '',
    agentModel: textOf(trace, 'agent_model'),
    updatedAt: textOf(trace, 'updated_at') ?? '',
    injectionFlags: textsOf(trace, 'injection_flags'),
    amendments: objectsOf(trace, 'amendments').map(toAmendment),
    related: objectsOf(trace, 'related_traces').map((one) => ({
      id: textOf(one, 'id') ?? '',
      title: textOf(one, 'title') ?? '',
      relationship: textOf(one, 'relationship_type') ?? '',
    })),
  }
}

function toAmendment(amendment: JsonObject): Amendment {
  const { status } = amendment
  return {
    id: textOf(amendment, 'id') ?? '',
    status: status === 'applied' || status === 'rejected' ? status : 'proposed',
    explanation: textOf(amendment, 'explanation') ?? '',
    improvedSolution: textOf(amendment, 'improved_solution') ?? '',
    createdAt: textOf(amendment, 'created_at') ?? '',
  }
}
