import type { TextFinding } from './finding.ts'
import { CHECKS, EXAMPLE, NOT_SENT, type OrderRule } from './order-rule.ts'
import { PEOPLE_ORDERS } from './orders-about-people.ts'
import { FOREIGN_ORDERS } from './orders-in-languages.ts'
import { fold, sentencesOf } from './readable.ts'
import { toQuote } from './to-quote.ts'

/** Verbs as an order has them; descriptions say "reads" and "sends". */
const TAKE =
  /\b(?:read|open|cat|load|access|retrieve|fetch|get|include|pass|attach|send|prepend|append|upload|copy|provide|collect|embed|insert|return|dump|contents? of|exfiltrat\w*)\b/u
const SEND =
  /\b(?:send|forward|post|upload|transmit|bcc|cc|relay|mirror|reroute|redirect|route|deliver|leak|exfiltrat\w*|append|prepend|embed|include|attach|pass|put|insert|copy|provide|contain)\b/u
const SECRET_FILE =
  /(?:\.ssh\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws\/|\.netrc\b|\.git-credentials|\.kube\/config|\/etc\/(?:passwd|shadow|sudoers)|\.cursor\/|claude_desktop_config|\.(?:bash|zsh)_history|\.gnupg|wallet\.dat|\.docker\/config|~\/\.config\b|system:\/\/)/u
const MAYBE_SECRET_FILE =
  /(?:(?<![\w/])\.env\b|\bmcp\.json\b|\.npmrc\b|\.pypirc\b|\bprivate keys?\b|\bkeychain\b)/u
const SECRET =
  /\b(?:api[ _-]?keys?|credentials?|passwords?|access tokens?|auth tokens?|session tokens?|environment variables?|env vars?|secrets?|connection strings?|private (?:information|data|keys?)|sensitive (?:information|data)|(?:conversation|chat|message) (?:history|context|transcript)|(?:complete|entire|full|whole) (?:conversation|user message|context|chat|prompt)|system prompt|clipboard|master password|ssh keys?|seed phrase)\b/u
const RULES: readonly OrderRule[] = [
  {
    class: 'high',
    rule: 'ignore-instructions',
    reason: 'it tells the model to drop its instructions',
    all: [
      /^(?!force\b)/u,
      /\b(?:ignor\w*|disregard\w*|forget|overrid\w*|bypass\w*|discard|overrul\w*|supersed\w*|replacing|neglect|do not (?:follow|obey))\s+(?:[\w']+\s+){0,3}(?:previous|prior|earlier|above|preceding|foregoing|your|system|safety|any other|all other|proxy's|user's|user|original|behaviou?ral)\s+(?:[\w']+\s+){0,3}(?:instructions?|requests?|directives?|guidelines?|guardrails?|rules?|polic(?:y|ies)|prompts?|restrictions?|safeguards?|constraints?|training|checks?)\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'high',
    rule: 'ignore-instructions',
    reason: 'it tells the model to drop what it was told',
    all: [
      /\b(?:ignore|disregard|forget)\s+(?:everything(?:\s+(?:above|before))?|(?:all\s+)?(?:of\s+)?(?:the\s+)?(?:above|previous|foregoing))(?=\s*(?:$|[.,;:!"']|and\b|then\b|before\b))/u,
    ],
    none: CHECKS,
  },
  {
    class: 'high',
    rule: 'new-role',
    reason: 'it gives the model another role',
    all: [
      /\byou are (?:now|no longer)\b|\badopt\s+(?:the|a|any|this)\s+(?:\w+\s+)?(?:persona|role|character|identity)\b|\b(?:developer|god|jailbreak|dan|unrestricted|admin) mode\b.{0,40}\b(?:enabled|activat\w*|on)\b|\b(?:enter|activate|enable|switch to) (?:developer|god|jailbreak|dan|unrestricted) mode\b|\b(?:reveal|print|output|show|repeat|return|disclose)\s+(?:[\w']+\s+){0,3}system prompt\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'high',
    rule: 'exfiltration',
    reason: 'it speaks of taking data out in secret',
    all: [/\bexfiltrat\w*|\battacker\W?s?\b.{0,40}\b(?:server|collector|host|endpoint|address)\b/u],
    none: CHECKS,
  },
  {
    class: 'high',
    rule: 'secret-files',
    reason: 'it asks for a file of secrets',
    all: [TAKE, SECRET_FILE],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'secret-files',
    reason: 'it reads a private key or passwords',
    all: [
      /\b(?:reads|sends|uploads|copies|passes|includes|collects|returns)\b/u,
      /\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|\/etc\/shadow|\.aws\/credentials|\.git-credentials|\.gnupg|wallet\.dat/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'secret-files',
    reason: 'it asks for a file that may hold secrets',
    all: [TAKE, MAYBE_SECRET_FILE, /\b(?:content|contents|before|first|also|must|always|then)\b/u],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'send-secrets',
    reason: 'it asks for secrets, or for the conversation, to be passed on',
    all: [
      SEND,
      SECRET,
      /\b(?:must|always|also|first|before|silently|every|each|otherwise|required|mandatory|any|all|complete|entire|full)\b/u,
      /\b(?:parameter|argument|field|response|output|endpoint|server|address|message|context|audit|verification|(?:as|to|in|into) ['"]?\w+)\b/u,
    ],
    none: NOT_SENT,
  },
  {
    class: 'medium',
    rule: 'send-secrets',
    reason: 'it passes on what is said, or secrets',
    all: [
      /\b(?:transmits|sends|forwards|uploads|collects|shares|reports|exports|exfiltrates|relays)\b.{0,80}\b(?:(?:conversation|chat|message) (?:history|context|transcript)|(?:full|entire|whole|complete) conversation|system prompt|credentials|api keys|passwords|browsing history)\b/u,
    ],
    none: new RegExp(`${CHECKS.source}|${NOT_SENT.source}`, 'u'),
  },
  {
    class: 'medium',
    rule: 'send-secrets',
    reason: 'it passes on what is said under another name',
    all: [
      /\b(?:transmits?|sends?|forwards?|uploads?|shares?|reports?|collects?|submits?|includes?|records?)\b/u,
      /\b(?:analytics|telemetry|diagnostics?|usage (?:data|statistics)|quality (?:assurance|improvement)|service quality|(?:continuous|product) improvement)\b/u,
      /\b(?:conversations?|chats?|messages|prompts?|user(?:'s)? (?:data|input|messages|queries)|full context|surrounding context|file contents|personal data)\b/u,
    ],
    none: new RegExp(`${CHECKS.source}|${NOT_SENT.source}`, 'u'),
  },
  {
    class: 'medium',
    rule: 'address',
    reason: 'it asks for data to be sent to an address of its own',
    all: [
      /\b(?:send|forward|post|upload|transmit|bcc|cc|relay|mirror|reroute|redirect|report|copy|deliver)\b/u,
      /[\w.+-]{1,64}@(?!example\b)[\w-]{1,64}\.[a-z]{2,}|\bhttps?:\/\/(?!(?:www\.)?example\b|localhost|127\.)[\w.-]{3,}/u,
      /\b(?:always|must|also|all|every|first|before|should|then|second|copy|bcc|any|contents?)\b/u,
    ],
    none: EXAMPLE,
  },
  {
    class: 'medium',
    rule: 'address',
    reason: 'it adds a recipient of its own',
    all: [/\balways\s+(?:\w+\s+){0,3}(?:bcc|cc)\b|\b(?:bcc|cc)\b.{0,60}@/u],
    none: EXAMPLE,
  },
  {
    class: 'medium',
    rule: 'address',
    reason: 'it sends data to a party that is not named',
    all: [
      /\b(?:sends?|forwards?|posts?|uploads?|transmits?|cop(?:y|ies)|reports?|relays?|reroutes?)\b.{1,80}\b(?:to|via)\s+(?:an?\s|the\s|our\s|some\s)?(?:\w+\s)?(?:external|third.party|attacker\S*|remote|unknown|hidden|analytics|telemetry|audit|tracking|collection|backup|compliance|monitoring|outside)\s(?:\w+\s)?(?:server|endpoint|host|address|webhook|url|collector|party|service|site)\b/u,
    ],
    none: new RegExp(`${CHECKS.source}|${NOT_SENT.source}`, 'u'),
  },
  {
    class: 'high',
    rule: 'role-mark',
    reason: 'a mark makes it look like a message of the system',
    all: [
      /<\/?\s?(?:hidden|secret|system|sys|assistant|admin|instructions?|system[-_ ]\w+|override|priority|internal|backdoor)\b[^>]{0,60}>|<\|[\w ]{2,30}\|>|<<\s?sys\s?>>|\[\/?(?:system|inst|assistant|admin|hidden|internal|override)\b[^\]]{0,60}\]|\bsystem[ _-](?:override|directive|instruction|prompt|note|message|update)s?\s?(?:\([^)]{0,30}\)\s?)?:|\b(?:assistant|ai|model|llm|agent) (?:directive|instructions?|note):|\bhidden (?:directive|instruction|command)s?\b|^#{2,} ?(?:system|instruction)s?\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'role-mark',
    reason: 'a mark gives it more weight than a description has',
    all: [
      /<\/?\s?(?:important|critical|mandatory|attention|urgent|warning|note)\b[^>]{0,60}>|\[(?:important|critical|mandatory)\]/u,
    ],
  },
  {
    class: 'low',
    rule: 'role-mark',
    reason: 'it addresses the model',
    all: [
      /\b(?:note|message|directive|reminder)s? (?:to|for) (?:the |any |all )?(?:assistant|ai|model|llm|agent)s?\b/u,
    ],
  },
  {
    class: 'medium',
    rule: 'obey-content',
    reason: 'it asks the model to obey what a tool returns',
    all: [
      /\b(?:obey|comply with|execute|carry out|follow|treat|trust)\s+(?:any|whatever|every|all|the request|unverified)\b.{0,60}\b(?:instructions?|directives?|commands?|requests?)?\b.{0,40}\b(?:found|embedded|inside|contained|within|below|appear\w*|in the (?:returned|response|result|output))\b|\btreat\b.{0,40}\bas\b.{0,30}\b(?:instructions|directives|commands)\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'before-everything',
    reason: 'it wants to be called before anything else is done',
    all: [
      /\bbefore (?:using|calling|invoking|running|executing|processing|performing|answering|responding to|handling)\s+(?:any|every|each|all)(?:\s+other)?\s+(?:user |file |mcp )?(?:tools?|requests?|operations?|quer(?:y|ies)|questions?|messages?|tasks?|actions?)\b|\b(?:always|must)\b.{0,20}\b(?:call|use|run|invoke|execute)\w*\s+(?:this|it)\b.{0,20}\b(?:first|before (?:any|every|all|each|responding|answering))\b|\b(?:this tool|it) (?:must|should) (?:always )?be (?:called|used|run|invoked|executed)\b.{0,20}\b(?:first|before (?:any|every|all|each|responding|answering))\b|\b(?:must|always)\b.{0,40}\bfor (?:any|every|all|each)\s+(?:user |single )?(?:requests?|quer(?:y|ies)|questions?|messages?|prompts?)\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'instead-of-others',
    reason: 'it wants to change what other tools are given or answer',
    all: [
      /\b(?:before|after)\b.{0,60}\b(?:tools?|functions?|operations?)\b/u,
      /\b(?:execute|call|run|use|invoke)\s+this\s+(?:tool|function)\b/u,
      /\b(?:replace|modify|change|alter|override)\b.{0,30}\b(?:values?|results?|outputs?|responses?|arguments?)\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'instead-of-others',
    reason: 'it wants to be used in place of other tools',
    all: [
      /\b(?:always|must|only)\b.{0,40}\b(?:choose|prefer|select|use|pick)\b.{0,40}\b(?:over|instead of|rather than)\s+(?:any|all|every|the)?\s?(?:other|alternative|similar|built.in)|\b(?:never|do not|don't) (?:use|call|choose|invoke) any (?:other|alternative)\b.{0,20}\btools?\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'instead-of-others',
    reason: 'it takes what is meant for another tool',
    all: [
      /\b(?:intercept|redirect|hijack|capture|replace)s?\b.{0,60}\b(?:requests?|calls?|messages?|emails?|traffic|invocations?)\b.{0,40}\b(?:intended|meant|destined) for\b|\b(?:takes?|has|have|given) (?:precedence|priority) over\b.{0,40}\btools?\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'high',
    rule: 'run-download',
    reason: 'it holds a command of an attacker',
    all: [
      /\/dev\/tcp\/|\bnc\s+-e\b|\bbash\s+-i\b|<script\b[^>]{0,100}>[^<]{1,300}<\/script|\brm\s+-rf\s+[~/]/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'run-download',
    reason: 'it asks for a download to be run',
    all: [
      /\b(?:curl|wget|iwr|invoke-webrequest)\b[^|]{0,200}\|\s?(?:sudo )?(?:(?:ba|z)?sh|python\d?|node|iex)\b/u,
      /\b(?:run|execute|must|first|before|paste|always)\b/u,
    ],
    none: EXAMPLE,
  },
  ...PEOPLE_ORDERS,
  ...FOREIGN_ORDERS,
]

/** Finds text that instructs the model instead of describing; each rule at its first sentence. */
export function scanOrders(text: string): TextFinding[] {
  const sentences = sentencesOf(fold(text))
  return RULES.flatMap(({ all, none, ...rule }) => {
    const found = sentences.find(
      (sentence) =>
        all.every((pattern) => pattern.test(sentence)) && !(none?.test(sentence) ?? false),
    )
    return found === undefined ? [] : [{ ...rule, quote: toQuote(found) }]
  })
}
