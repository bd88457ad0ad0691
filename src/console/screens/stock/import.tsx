import { useState } from 'preact/hooks'

import type { Because } from '../../../admin-contract/because.ts'
import type { StockReport } from '../../../admin-contract/stock.ts'
import { stockFileLimit } from '../../../admin-contract/stock-limits.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { hasCode } from '../../client/errors.ts'
import { Page } from '../../parts/page.tsx'
import { ReasonChoice, useReason } from '../../parts/reason-choice.tsx'
import { useToast } from '../../parts/toast.tsx'
import { stockPlace } from '../../session/places.ts'
import { useRouter } from '../../session/router.tsx'
import { useSignedIn } from '../../session/session.tsx'
import { useAttempt } from '../../hooks/use-attempt.ts'
import { useWords } from '../../words/speech.tsx'
import { FileChoice } from './file-choice.tsx'
import { ImportReport } from './import-report.tsx'

/** Browsers know the types of few of these files. The service looks at the content. */
const typeOf = ({ name }: File): string => (/\.(xml|pskc|pskcxml)$/i.test(name) ? 'application/xml' : 'text/csv')

/** Imports hardware tokens: a file is checked as soon as it is chosen, and nothing is stored before the person has seen the result. */
export function ImportScreen() {
  const words = useWords()
  const { stock } = words
  const { client } = useSignedIn()
  const { go } = useRouter()
  const say = useToast()
  const { busy, problem, showProblem, run } = useAttempt()
  const [file, setFile] = useState<File>()
  const [key, setKey] = useState('')
  const [asksKey, setAsksKey] = useState(false)
  const [report, setReport] = useState<StockReport>()
  const reason = useReason()
  const [importing, setImporting] = useState(false)

  /**
   * @param because Why the tokens are stored; nothing is without it.
   * @returns undefined if the file or its key cannot be used; the page says why.
   */
  async function send(chosenFile: File, because?: Because): Promise<StockReport | undefined> {
    const query = { because: because ?? 'other', dryRun: because ? 'false' : 'true', skipRejected: 'true' } as const
    const headers = key === '' ? {} : { key }
    const content = new Blob([chosenFile], { type: typeOf(chosenFile) })
    try {
      return await client.call('POST /admin/stock/import', { query, headers, file: content })
    } catch (error) {
      if (hasCode(error, 'api.error.forbidden.elsewhere')) showProblem(stock.everyDomain)
      else if (hasCode(error, 'api.error.invalid.file')) showProblem(stock.import.unreadable)
      else if (hasCode(error, 'api.error.unavailable.pskc')) showProblem(stock.import.noPskc)
      else if (hasCode(error, 'api.error.invalid.key')) {
        setAsksKey(true)
        showProblem(stock.import.needsKey)
      } else throw error
      return undefined
    }
  }
  const check = (chosenFile: File) => run(async () => setReport(await send(chosenFile)))

  async function choose(chosenFile: File) {
    setReport(undefined)
    setFile(undefined)
    setAsksKey(false)
    setKey('')
    if (chosenFile.size > stockFileLimit) return showProblem(stock.import.tooLarge)
    setFile(chosenFile)
    await check(chosenFile)
  }
  async function start(chosenFile: File) {
    const because = reason.require()
    if (!because) return
    setImporting(true)
    await run(async () => {
      const result = await send(chosenFile, because)
      if (!result) return
      say(stock.import.done(result.imported))
      go(stockPlace())
    })
    setImporting(false)
  }
  return (
    <Page title={stock.import.title} sentence={stock.import.sentence} above={{ to: stockPlace(), title: stock.title }}>
      <section class="card form">
        <FileChoice name={file?.name} busy={busy} onFile={(chosenFile) => void choose(chosenFile)} />
        {asksKey && file ? <KeyForm value={key} busy={busy} onInput={setKey} onCheck={() => void check(file)} /> : null}
        <Problem text={problem} />
        {busy ? (
          <div class="working" role="status">
            <p>{importing ? stock.import.importing : stock.import.checking}</p>
            <progress />
          </div>
        ) : null}
        {report && file && !busy ? (
          <>
            <ImportReport report={report} />
            {report.acceptable === 0 ? null : (
              <>
                <ReasonChoice reason={reason} />
                <div class="buttons">
                  <Button
                    class="filled"
                    onClick={() => void start(file)}
                    label={stock.import.start(report.acceptable)}
                  />
                </div>
              </>
            )}
          </>
        ) : null}
      </section>
    </Page>
  )
}

interface KeyFormProps {
  readonly value: string
  readonly busy: boolean
  readonly onInput: (key: string) => void
  readonly onCheck: () => void
}

/** The pre-shared key of an encrypted file. */
function KeyForm({ value, busy, onInput, onCheck }: KeyFormProps) {
  const { stock } = useWords()
  return (
    <form
      class="key-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) onCheck()
      }}
    >
      <div class="field">
        <label>
          <span>{stock.import.key}</span>
          <input
            type="password"
            value={value}
            required
            pattern="[0-9a-fA-F]{32}|[0-9a-fA-F]{64}"
            autocomplete="off"
            spellcheck={false}
            dir="ltr"
            aria-describedby="key-hint"
            onInput={({ currentTarget }) => onInput(currentTarget.value.trim())}
          />
        </label>
        <small id="key-hint">{stock.import.keyHint}</small>
      </div>
      <Button type="submit" class="outlined" aria-disabled={busy} label={stock.import.check} />
    </form>
  )
}
