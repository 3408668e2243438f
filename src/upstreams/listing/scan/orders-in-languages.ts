import type { OrderRule } from './order-rule.ts'

/** "Ignore your instructions", with folded letters. */
const IGNORE = [
  /\b(?:ignora|ignore|ignorar|olvida|olvide|omite)\s.{0,30}(?:instrucciones|indicaciones|órdenes|reglas)/u,
  /\b(?:ignore[zr]?|oublie[zr]?)\s(?:toutes?|tes|vos|les|ces|cette|ta)\s.{0,30}(?:instruction|consigne|directive|règle)/u,
  /(?:ignorier|vergiss|missacht|übergeh)\S{0,4}\s.{0,40}(?:anweisung|vorgabe|regeln|instruktion)/u,
  /\b(?:ignore|ignora|desconsidere|esqueça)\s.{0,30}(?:instruções|orientações|regras)/u,
  /\b(?:ignora|ignorate|dimentica)\s.{0,30}(?:istruzioni|direttive|regole)/u,
  /\bnegeer\s.{0,30}(?:instructies|opdrachten|regels)/u,
  /zignoruj\s.{0,30}(?:instrukcje|polecenia|zasady)/u,
  /(?:talimat|kural)\S{0,8}\s(?:yok say|görmezden gel|unut|dikkate alma)/u,
  /(?:игнорир|забуд|не обращай внимания)\S{0,6}\s.{0,40}(?:инструкц|указани|правил)/u,
  /(?:忽略|无视|忘记|忽視|無視).{0,14}(?:指令|指示|提示|规则|規則|说明|命令)/u,
  /(?:指示|命令|プロンプト|ルール).{0,10}(?:無視|忘れ)/u,
  /(?:지시|명령|지침|규칙).{0,12}(?:무시|잊)/u,
  /تجاهل.{0,30}(?:التعليمات|الأوامر|القواعد)/u,
  /निर्देश.{0,20}(?:अनदेखा|नज़रअंदाज़|अनदेखी)/u,
]

/** "Do not tell the user", with folded letters. */
const HIDE = [
  /\b(?:no (?:le |se lo )?(?:digas|diga|menciones|mencione|informes|informe|cuentes|reveles|avises)|sin (?:decir|informar|avisar|mencionar))\b.{0,30}usuario/u,
  /\bne (?:le |lui |l')?(?:dis|dites|mentionne\S*|informe\S*|révèle\S*|parle\S*|préviens|prévenez)\s?(?:pas|rien|jamais).{0,40}utilisateur|sans (?:en )?(?:informer|prévenir|avertir|le dire).{0,20}utilisateur/u,
  /(?:nutzer|anwender)\S{0,2}\s(?:\S+\s){0,3}(?:nicht|nichts)\b.{0,30}(?:sag|mitteil|verrat|erwähn|inform|teil)|(?:sag|erwähn|verrat|informier|teil)\S{0,4}\s.{0,40}(?:nutzer|anwender)\S{0,2}\s.{0,20}\b(?:nicht|nichts)|(?:erwähn|verrat)\S{0,4}\s.{0,30}nicht.{0,30}(?:nutzer|anwender)|ohne (?:den|die|dass der) (?:be)?(?:nutzer|anwender)/u,
  /\bnão (?:diga|mencione|informe|conte|revele|avise)\b.{0,30}(?:usuário|utilizador)|sem (?:informar|avisar|dizer).{0,20}(?:usuário|utilizador)/u,
  /\bnon (?:dire|dirlo|menzionare|informare|rivelare|avvisare)\b.{0,30}utente|senza (?:informare|avvisare|dire).{0,20}utente/u,
  /не (?:говори|сообщай|упоминай|рассказывай|раскрывай)\S{0,3}\s.{0,30}пользовател/u,
  /(?:不要|不得|请勿|勿|别|切勿)(?:告诉|告知|通知|提及|透露|提醒|让).{0,10}(?:用户|使用者)|(?:不要|不得|请勿|别)(?:向|对|在).{0,6}(?:用户|使用者).{0,6}(?:提及|透露|说|提到)/u,
  /(?:ユーザー|利用者)(?:に|へ).{0,16}(?:言わない|伝えない|知らせない|教えない|通知しない|明かさない)/u,
  /사용자(?:에게|한테).{0,16}(?:말하지|알리지|언급하지|밝히지)/u,
  /(?:gebruiker|kullanıcı|użytkownik)\S{0,6}\s.{0,30}(?:niets? (?:vertellen|zeggen)|söyleme|bahsetme|nie mów)|(?:vertel|zeg)\s.{0,20}gebruiker (?:niet|niets)|nie (?:mów|wspominaj|informuj)\S{0,3}\s.{0,20}użytkownik/u,
  /(?:لا تخبر|لا تذكر|دون إخبار|دون علم).{0,20}المستخدم/u,
  /(?:उपयोगकर्ता|यूज़र)(?: को).{0,20}(?:न बता|मत बता|नहीं बता)/u,
]

export const FOREIGN_ORDERS: readonly OrderRule[] = [
  ...IGNORE.map((pattern) => ({
    class: 'high' as const,
    rule: 'ignore-instructions',
    reason: 'it tells the model to drop its instructions, in another language',
    all: [pattern],
  })),
  ...HIDE.map((pattern) => ({
    class: 'high' as const,
    rule: 'hide-from-user',
    reason: 'it asks the model to keep something from its user, in another language',
    all: [pattern],
  })),
]
