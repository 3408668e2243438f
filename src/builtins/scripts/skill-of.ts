import { SCRIPTS_SERVER, type ScriptVersion } from '../../protocol/saved-scripts.ts'
import type { OwnSkill } from '../kit/serve-skills.ts'

/** A saved script as a skill: what it does, how it is called, and its source as an example. */
export function skillOf({
  name,
  version,
  description,
  inputSchema,
  source,
}: ScriptVersion): OwnSkill {
  const skill = name.replaceAll('_', '-')
  // A fence longer than any in the source ends where it should.
  const longest = Math.max(2, ...[...source.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const call = `${SCRIPTS_SERVER}.${name}`
  return {
    name: skill,
    text: `---
name: ${skill}
description: ${JSON.stringify(description)}
---

# ${name}

${description}

Call the tool \`${name}\` of the server \`${SCRIPTS_SERVER}\`, or \`await tools.${call}(args)\` in a script. It runs with the rights of whoever calls it.

Its arguments, as a JSON Schema:

\`\`\`json
${JSON.stringify(inputSchema, undefined, 2)}
\`\`\`

Version ${version} of its source; \`input\` is the arguments:

${fence}ts
${source.trimEnd()}
${fence}
`,
  }
}
