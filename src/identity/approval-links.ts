import { createHmac } from 'node:crypto'
import { isSame } from '../base/secrets/is-same.ts'

/** The path prefix of the pages that links to questions open. */
export const APPROVE = '/approve'

/** Links to questions about calls, which nobody can guess or make without the secret. */
export type ApprovalLinks = ReturnType<typeof createApprovalLinks>

export function createApprovalLinks(secret: () => Buffer) {
  const proofOf = (id: string) =>
    createHmac('sha256', secret()).update(`link to approval ${id}`).digest('base64url')
  return {
    pathOf: (id: string) => `${APPROVE}/${id}/${proofOf(id)}`,
    accepts: (id: string, proof: string) => isSame(Buffer.from(proof), Buffer.from(proofOf(id))),
  }
}
