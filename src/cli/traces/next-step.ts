const STEPS: Readonly<Record<number, string>> = {
  401: 'Set COMMONTRACE_API_KEY to a valid key; `portolan traces register` gives one.',
  403: 'See what this account may do with `portolan traces verify`; an e-mail address (`register --email`) or an invitation (`redeem`) may be missing.',
  404: 'Look for it with `portolan traces search` or `portolan traces list`.',
  409: 'It is there already: nothing has to be done.',
  429: 'Wait for the time it names, then try again.',
}
const ADMIN_STEP = 'Set ADMIN_DASHBOARD_TOKEN to the token the service was started with.'

/** What somebody at a terminal can do about an answer that is a refusal. */
export function nextStep(status: number, body: Readonly<Record<string, unknown>>): string {
  if (typeof body['detail'] === 'string' && /admin/i.test(body['detail'])) return ADMIN_STEP
  if (Array.isArray(body['errors']))
    return body['errors'].map((problem) => `- ${problem.path}: ${problem.message}`).join('\n')
  const whenDown = 'Ask for its state with `portolan traces health`, and try again later.'
  return STEPS[status] ?? (status >= 500 ? whenDown : '')
}
