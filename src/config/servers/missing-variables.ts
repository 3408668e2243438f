/** Says which variables a server lacks, and how each can be set. */
export function describeMissing(variables: readonly string[]): string {
  return variables
    .map(
      (variable) =>
        `Environment variable "${variable}" referenced in configuration but not set. ` +
        `Store it with \`portolan secrets set ${variable}\`, set it, or give a default: \${${variable}:-value}`,
    )
    .join('; ')
}

const LACKS = /variable "([^"]+)" referenced in configuration but not set/g

/**
 * Returns the commands that store the variables which such a message names; undefined if it is about
 * something else. The message may come from a gateway, whose variables are not those of a command.
 */
export function commandsFor(message: string): string | undefined {
  const variables = [...message.matchAll(LACKS)].map(([, variable]) => variable)
  if (variables.length === 0) return undefined
  return variables.map((variable) => `portolan secrets set ${variable}`).join(' && ')
}
