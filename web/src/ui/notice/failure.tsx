import type { ApiError } from '../../api/api-error.ts'
import { Prose } from '../text/prose.tsx'

interface FailureProps {
  readonly error: ApiError
  readonly retry?: () => void
}

/** What went wrong, in the gateway's words, and what to do next. */
export function Failure({ error, retry }: FailureProps) {
  return (
    <div class="failure" role="alert">
      <p class="empty-title">{error.message}</p>
      {error.hint !== undefined && (
        <p>
          <Prose text={error.hint} />
        </p>
      )}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
