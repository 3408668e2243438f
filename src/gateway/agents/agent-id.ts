import { hasSecretShape } from '../../base/secrets/secrets.ts'

const AGENT_ID = /^[a-zA-Z0-9_.-]{1,200}$/
const USER = /^[a-zA-Z0-9_.@+-]{1,200}$/
const OWN_CREDENTIAL = /^pt[kharcs]_/
/** No known shape of a secret is shorter. */
const MIN_SECRET_LENGTH = 12

export function isAgentId(text: string): boolean {
  return AGENT_ID.test(text) && !isCredential(text)
}

/**
 * Whether a text is the name of a person, such as an e-mail address. A caller that proves nothing
 * cannot claim a name with an "@", which agent ids never contain.
 */
export function isUserName(text: string): boolean {
  return USER.test(text) && !isCredential(text)
}

/** Agent ids appear in metrics, logs and rules: a key or a token must never be one. */
export function isCredential(text: string): boolean {
  return OWN_CREDENTIAL.test(text) || (text.length >= MIN_SECRET_LENGTH && hasSecretShape(text))
}
