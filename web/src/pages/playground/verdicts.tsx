import type { PolicyAnswer, Verdict } from '../../../../src/dashboard/contract/agents.ts'
import { EFFECT_WORDS } from '../../ui/calls/verdict-line.tsx'

/** The verdict in large type, and what the edited rules would change. */
export function Verdicts({ answer }: { readonly answer: PolicyAnswer }) {
  const { valid, verdict, current } = answer
  if (!valid || verdict === null)
    return (
      <div class="big-verdict broken" data-verdict="invalid">
        <p class="big-word">These rules are not valid</p>
        <p>The gateway would keep the ones it has.</p>
      </div>
    )
  return (
    <div class={`big-verdict ${verdict.effect}`} data-verdict={verdict.effect}>
      <p class="big-word">{word(verdict)}</p>
      <p>
        by <code>{verdict.rule}</code>
      </p>
      <p>{verdict.message}</p>
      {current !== null && <p class="change">{change(verdict, current)}</p>}
    </div>
  )
}

function word({ effect }: Verdict): string {
  return EFFECT_WORDS[effect]
}

function change(verdict: Verdict, current: Verdict) {
  if (verdict.effect === current.effect && verdict.rule === current.rule)
    return 'The rules in force say the same.'
  return (
    <>
      The rules in force say <strong>{word(current).toLowerCase()}</strong>, by{' '}
      <code>{current.rule}</code>.
    </>
  )
}
