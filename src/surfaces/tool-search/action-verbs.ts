/** Words that begin an instruction: where one follows "then" or "and", a new thing to do begins. */
export const ACTION_VERBS: ReadonlySet<string> = new Set(
  `add analyse analyze append apply assign book browse build calculate call capture check choose clear
  click close collect comment commit compare compute convert copy count crawl create delete describe
  determine display download draw email enrich execute explain export extract fetch filter find fork
  format forward gather generate get give go identify import include insert invite join list log look
  make map mark merge monitor move navigate notify open organize pick plan plot post prepare print
  provide publish pull push query read recommend record remove rename reply report research retrieve
  return run save schedule scrape search select send set share show sort star store suggest summarise
  summarize take tell test track translate update upload use validate verify visit write`.split(
    /\s+/,
  ),
)
