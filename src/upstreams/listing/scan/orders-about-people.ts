import { CHECKS, NOT_SENT, type OrderRule } from './order-rule.ts'

/** Orders to do something without the person whose agent it is, or against their will. */
export const PEOPLE_ORDERS: readonly OrderRule[] = [
  {
    class: 'high',
    rule: 'hide-from-user',
    reason: 'it asks the model to keep something from its user',
    all: [
      /\b(?:do not|don't|dont|never|without|must not|mustn't|should not|shouldn't|avoid|refrain from|not to)\s+(?:\w+\s+){0,2}(?:tell\w*|mention\w*|inform\w*|notif\w*|reveal\w*|disclos\w*|alert\w*|warn\w*|admit\w*|acknowledg\w*|let\w*)\s+(?:[\w']+\s+){0,8}(?:user|human|person|customer|operator|anyone|anybody|them)s?\b/u,
    ],
  },
  {
    class: 'high',
    rule: 'hide-from-user',
    reason: 'it asks the model to say nothing about what it does',
    all: [
      /\bno need to\s+(?:tell|mention|inform|notify|alert|bother)\s+(?:the\s+)?(?:user|human|person|them|this|it)\b|\bkeep (?:this|it|that)\s+(?:\w+\s+)?(?:secret|hidden|confidential|between us)\b|\b(?:do not|don't|dont|never|must not|should not|avoid)\s+(?:\w+\s+)?(?:mention\w*|reveal\w*|disclos\w*|acknowledg\w*)\s+(?:this|these|that|it|the fact|any of this)\b/u,
    ],
  },
  {
    class: 'medium',
    rule: 'hide-from-user',
    reason: 'it says that people are not shown what it does',
    all: [
      /\b(?:step|action|collection|behaviou?r|operation|call|this)\b.{0,60}\b(?:not|never)\s+(?:shown|displayed|visible|reported|mentioned|revealed)\b.{0,40}\b(?:user|human|summary|person)|\bomitted from\b.{0,60}\b(?:user|summary)/u,
    ],
    none: CHECKS,
  },
  {
    class: 'high',
    rule: 'in-secret',
    reason: 'it asks for something to be done in secret',
    all: [
      /\b(?:silently|secretly|covertly|stealthily|surreptitiously|quietly|invisibly)\s+(?:\w+\s+){0,2}(?:send|forward|post|upload|transmit|bcc|append|add|include|copy|read|attach|exfiltrate|embed|collect|record|capture|pass|call|run|execute|redirect|modif\w*|chang\w*|delet\w*)\b|\bwithout (?:the )?(?:user|human|person|owner)(?:'s|s')? (?:knowledge|consent|awareness|knowing|noticing|permission|approval)\b|\b(?:hidden|invisible|concealed) from the (?:user|human)\b|\bunbeknownst\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'after-approval',
    reason: 'it says that it changes once it is approved',
    all: [
      /\b(?:once|after|when)\b.{0,40}\b(?:approv(?:ed|al)|accepted|trusted|reviewed)\b.{0,60}\b(?:will|begins?|starts?|swaps?|switch(?:es)?)\b|\bpost.approval\b/u,
      /\b(?:tool|description|version|server|it)\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'without-approval',
    reason: 'it wants something done without the approval of a person',
    all: [
      /\bwithout\s+(?:(?:asking|requiring|requesting|seeking|needing|waiting)\s+(?:for\s+)?|(?:any|further|explicit|prior)\s+)*(?:the\s+)?(?:user|human|person|operator)(?:'s|s')?\s+(?:confirmation|approval|consent|permission|review|input|interaction)\b/u,
      /\b(?:always|must|automatically|directly|should|send|forward|pass|upload|execute|run|call|invoke)\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'without-approval',
    reason: 'it claims that a person has agreed',
    all: [
      /\b(?:user|human|person|owner|admin\w*|operator)\s+(?:has|have)\s+(?:already\s+|previously\s+)?(?:approved|consented|authori[sz]ed|agreed|given (?:their )?(?:consent|permission|approval))\b|\bregardless of (?:what )?the user\b|\bno (?:further |user |additional )?(?:confirmation|approval|consent) is (?:needed|required|necessary)\b/u,
      /\b(?:always|must|all|any|every|everything|proceed|execute|send|without|pre\S*|already|asks?|says|wants)\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'without-approval',
    reason: 'it talks people into approving everything',
    all: [
      /\b(?:just|simply)\s+(?:hit|click|press|choose|select)\s+(?:confirm|approve|yes|accept|allow|ok)\b|\b(?:approve|confirm|accept)\s+(?:all|every|any)\b.{0,40}\bwithout\s+(?:reading|reviewing|checking|looking)\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'bypass-checks',
    reason: 'it speaks of getting around checks',
    all: [
      // As a flag that forces something says.
      /^(?!force)/u,
      /\b(?:(?:turns?|switch(?:es)?) off|deactivates?|suppress(?:es)?|bypass(?:es|ing)?|circumvent(?:s|ing)?|evad(?:es?|ing)|gets? around)\s+(?:[\w-]+\s+){0,3}(?:security|safety|approval|authori[sz]ation|access|permission|policy|moderation|audit)\s+(?:checks?|controls?|filters?|reviews?|restrictions?|gates?|prompts?|policies|validation|logs?|logging|monitoring|scans?|hooks?|layers?|mechanisms?|boundar(?:y|ies))\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'false-report',
    reason: 'it tells the model what to make its user believe',
    all: [
      /\b(?:tell|inform|assure|report to) the user\b.{0,30}\b(?:succeeded|successful\w*|fine|worked|completed?|safe|nothing)\b/u,
      /\b(?:always|even if|although|regardless|whatever|no matter|must|only|that nothing)\b/u,
    ],
    none: CHECKS,
  },
  {
    class: 'medium',
    rule: 'asks-secrets',
    reason: 'it asks the person for what nobody should type into a chat',
    all: [
      /\b(?:ask|request|enter|provide|type|collect|require|prompt|your|user's)\b/u,
      /\b(?:seed phrase|recovery phrase|mnemonic|card number|cvv2?|cvc2?|social security number|one.time (?:code|password)|2fa code|bank password|master password)\b/u,
    ],
    none: NOT_SENT,
  },
]
