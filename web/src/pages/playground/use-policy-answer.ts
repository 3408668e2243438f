import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { PolicyAnswer } from '../../../../src/dashboard/contract/agents.ts'
import { type ApiError, toApiError } from '../../api/api-error.ts'
import { ask } from '../../api/ask.ts'
import type { ParsedRules } from './rules-editor.tsx'

const PAUSE_MS = 120

export interface Asked {
  readonly agent: string
  readonly server: string
  /** Empty if the question is only about the server. */
  readonly tool: string
}

/** Evaluates the rules for a question, again whenever the question or the edited rules change. */
export function usePolicyAnswer(question: Asked, rules: ParsedRules | undefined) {
  const answer = useSignal<PolicyAnswer | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  const { agent, server, tool } = question

  useEffect(() => {
    if (agent === '' || server === '' || rules?.state === 'broken') return undefined
    let stale = false
    async function check(): Promise<void> {
      try {
        const body = {
          agent,
          server,
          ...(tool !== '' && { tool }),
          ...(rules !== undefined && { rules: rules.rules }),
        }
        const said = await ask('POST /policy/check', { body })
        if (stale) return
        answer.value = said
        error.value = undefined
      } catch (cause) {
        if (!stale) error.value = toApiError(cause)
      }
    }
    // Waits until the reader stops typing.
    const timer = setTimeout(() => void check(), PAUSE_MS)
    return () => {
      stale = true
      clearTimeout(timer)
    }
  }, [JSON.stringify([agent, server, tool, rules])])

  return { answer, error }
}
