/**
 * Why a process serves its client alone instead of joining the person's gateway. The message
 * completes the sentence "This client has a gateway of its own, because …".
 */
export class NotShared extends Error {
  override readonly name = 'NotShared'
}
