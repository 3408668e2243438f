import { find } from '../../../../base/secrets/secrets.ts'

// Every repetition is bounded, so that a sender's text cannot make matching slow.
const EMAIL = /\b[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b/g
const PHONE = /(?<![\w.])\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]\d{2,4}){1,4}(?![\w.])/
const SOCIAL_SECURITY = /\b(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b/
const CARD = /\b(?:\d[ -]?){12,18}\d\b/g
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b/g
const HOME_FOLDER = /(?:\/home\/|\/Users\/|[A-Za-z]:\\+Users\\+)([A-Za-z][\w.-]*)/g

/** Addresses that do not identify a person: documentation domains, git remotes, role accounts. */
const PUBLIC_ADDRESS =
  /@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|test|invalid|localhost|local|example)$|^(?:git|noreply|no-reply|support|security|info|admin|user|you|me|name|postmaster|root)@|users\.noreply\.github\.com$/i

/** Folder names that do not identify a person. */
const SHARED_FOLDER =
  /^(?:user|users|username|you|yourname|your-user|me|name|runner|ubuntu|debian|admin|node|app|vagrant|ec2-user|circleci|jenkins|shared|public|default|vscode|codespace|foo|bar|alice|bob|dev|deploy|postgres|www-data|linuxbrew|bitnami|jovyan|git)$/i

/** Returns the types of personal data that a text seems to contain. */
export function findPersonalData(text: string): string[] {
  const found: string[] = []
  if ([...text.matchAll(EMAIL)].some(([address]) => !PUBLIC_ADDRESS.test(address)))
    found.push('e-mail address')
  if (PHONE.test(text)) found.push('phone number')
  if (SOCIAL_SECURITY.test(text)) found.push('social security number')
  if ([...text.matchAll(CARD)].some(([number]) => isCard(number))) found.push('payment card')
  if ([...text.matchAll(IBAN)].some(([account]) => isIban(account))) found.push('bank account')
  if ([...text.matchAll(HOME_FOLDER)].some(([, name = '']) => !SHARED_FOLDER.test(name)))
    found.push('home folder of a person')
  return found
}

/** Applies the Luhn check, which rejects nine of ten numbers that only look like a card. */
function isCard(text: string): boolean {
  const digits = Array.from(text.replaceAll(/\D/g, ''), Number).toReversed()
  if (digits.length < 13 || new Set(digits).size < 2) return false
  if (!/^(?:4|5[1-5]|2[2-7]|3[47]|6)/.test(text.replaceAll(/\D/g, ''))) return false
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}

function isIban(text: string): boolean {
  const compact = text.replaceAll(' ', '')
  if (compact.length < 15) return false
  const turned = compact.slice(4) + compact.slice(0, 4)
  let rest = 0
  for (const character of turned)
    for (const digit of Number.parseInt(character, 36).toString())
      rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

export interface Findings {
  readonly secrets: readonly string[]
  readonly personalData: readonly string[]
}

/** Invisible characters; a secret split by them could still be read as one. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g

/** Scans every string of a value at any depth, including object keys. */
export function scanContent(value: unknown): Findings {
  const secrets = new Set<string>()
  const personalData = new Set<string>()
  for (const text of strings(value)) {
    const plain = text.normalize('NFKC').replaceAll(INVISIBLE, '')
    for (const type of find(plain)) secrets.add(type)
    for (const type of findPersonalData(plain)) personalData.add(type)
  }
  return { secrets: [...secrets].toSorted(), personalData: [...personalData].toSorted() }
}

function* strings(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* strings(item)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      // Scanned together, so that `{"password": "…"}` is recognised as an assignment.
      if (typeof item === 'string') yield `${key}: ${JSON.stringify(item)}`
      else yield key
      yield* strings(item)
    }
}
