import { variableName } from '../../../secrets/variable-name.ts'
import { isSecretName } from '../../../../base/secrets/secrets.ts'
import { loadsCode } from '../../loader-variables.ts'
import type { DeclaredVariable, PlannedField } from '../server-plan.ts'
import type { RegistryArgument, RegistryInput, RegistryKeyValue } from './registry-server.ts'

type Variables = Readonly<Record<string, RegistryInput>>
type Templated = RegistryInput & { readonly variables: Variables }

/** Collects the parts of an entry that a registry declares, their variables, and what speaks against it. */
export class FieldDraft {
  readonly fields: PlannedField[] = []
  readonly variables = new Map<string, DeclaredVariable>()
  readonly problems: string[] = []

  addArgument(argument: RegistryArgument): void {
    const label = argument.type === 'named' ? argument.name : (argument.valueHint ?? 'an argument')
    if (argument.type === 'named') this.#checkLiteral(argument.name, 'the name of an argument')
    const { text, variables } = this.#template(argument, label)
    const words = argument.type === 'named' ? [argument.name, text] : [text]
    this.fields.push({ at: 'args', words, variables })
  }

  addPair(at: 'env' | 'headers', pair: RegistryKeyValue): void {
    const { name } = pair
    if (at === 'env' && !/^[A-Za-z_]\w*$/.test(name))
      return this.#refuse('a variable', 'has no name')
    if (at === 'env' && loadsCode(name))
      return this.#refuse(name, 'is a variable by which programs load code')
    if (at === 'headers' && !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      return this.#refuse('a header', 'has no valid name')
    const { text, variables } = this.#template(pair, name)
    this.fields.push({ at, key: name, words: [text], variables })
  }

  addUrl(url: string, declared: Variables): void {
    const { text, variables } = this.#template(
      { ...NO_INPUT, value: url, variables: declared },
      'its address',
      false,
    )
    this.fields.push({ at: 'url', words: [text], variables })
  }

  /** Returns the text of a value with `${NAME}` for what is asked for. */
  #template(input: Templated, label: string, isForProgram = true) {
    const { value, variables: declared } = input
    if (value === undefined) {
      const name = this.#declare(label, input)
      return { text: `\${${name}}`, variables: [name] }
    }
    this.#checkLiteral(value, label, isForProgram)
    const variables: string[] = []
    const text = value.replaceAll(/\{([^{}]+)\}/g, (whole, key: string) => {
      const inner = Object.hasOwn(declared, key) ? declared[key] : undefined
      if (!inner) return whole
      const name = this.#declare(key, inner)
      variables.push(name)
      return `\${${name}}`
    })
    return { text, variables }
  }

  #declare(label: string, input: RegistryInput): string {
    const wanted = variableName(label) || 'VALUE'
    let name = wanted
    for (let n = 2; this.variables.has(name); n++) name = `${wanted}_${n}`
    const { description, isRequired, format, choices, placeholder } = input
    const fixed = input.value ?? input.default
    for (const text of [fixed ?? '', ...choices]) this.#checkLiteral(text, label, false)
    // The person names the files of theirs that a server may use; the registry only suggests some.
    const isSuggestion = fixed !== undefined && namesPath(fixed)
    this.variables.set(name, {
      name,
      description,
      isRequired,
      isSecret: input.isSecret || isSecretName(label),
      choices,
      format,
      placeholder: isSuggestion ? fixed : placeholder,
      default: isSuggestion ? undefined : fixed,
    })
    return name
  }

  /** Text of a registry must not take anything of this person along. */
  #checkLiteral(text: string, label: string, isForProgram = true): void {
    if (text.includes('${')) this.#refuse(label, 'refers to variables of yours')
    else if (/\p{Cc}/u.test(text)) this.#refuse(label, 'contains control characters')
    else if (isForProgram && namesPath(text)) this.#refuse(label, 'names a path of this machine')
  }

  #refuse(label: string, why: string): void {
    this.problems.push(`${label.replaceAll(/[^\w .-]/g, '?').slice(0, 60)} ${why}`)
  }
}

const NO_INPUT = {
  description: '',
  isRequired: true,
  isSecret: false,
  format: 'string',
  choices: [],
} as const satisfies Partial<RegistryInput>

/** `~/x`, `/etc`, `--root=/`, `file:…`, `C:\x`, `../x`: a sandbox shows servers what such words name. */
function namesPath(text: string): boolean {
  return /(?:^|[=:,;\s])(?:~|\/(?!\/)|\.\.(?:[\\/]|$)|[a-z]:[\\/]|file:)/i.test(
    text.replaceAll(/[a-z][a-z\d+.-]*:\/\/[^\s,;/]*\/?/gi, (address) =>
      /^file:/i.test(address) ? address : '',
    ),
  )
}
