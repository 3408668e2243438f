/** Recognised by the text of the answer, where its status alone is not specific enough. */
const BY_DETAIL: readonly (readonly [RegExp, string])[] = [
  [
    /admin/i,
    'Set PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN to the token the service was started with.',
  ],
  [/moderator/i, 'The owner makes moderators: portolan traces contributor <account> --moderator'],
  [/requires an invitation/i, 'Use one you were given: portolan traces redeem <code>'],
  [/e-?mail registration/i, 'Get another key: portolan traces register --email <address>'],
]

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'Set COMMONTRACE_API_KEY to a valid key; `portolan traces register` gives one.',
  404: 'Look for it with `portolan traces search` or `portolan traces list`.',
  429: 'Wait as long as it says, then try again.',
}

const WHEN_DOWN = 'Ask for its state with `portolan traces health`, and try again later.'

/** What somebody at a terminal can do about a refusal; nothing where the refusal says it all. */
export function nextStep(
  command: string,
  { status, body }: { readonly status: number; readonly body: Readonly<Record<string, unknown>> },
): string {
  const detail = typeof body['detail'] === 'string' ? body['detail'] : ''
  const known = BY_DETAIL.find(([pattern]) => pattern.test(detail))?.[1]
  if (known !== undefined) return known
  if (status === 422 && Array.isArray(body['errors']))
    return `See what it takes: portolan traces ${command} --help`
  return BY_STATUS[status] ?? (status >= 500 ? WHEN_DOWN : '')
}
