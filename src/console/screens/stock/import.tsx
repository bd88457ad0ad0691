import { useState } from 'preact/hooks'

import type { Because } from '../../../admin-contract/because.ts'
import type { StockReport } from '../../../admin-contract/stock.ts'
import { stockFileLimit } from '../../../admin-contract/stock-limits.ts'
import { Button } from '../../../ui/button.tsx'
import { Problem } from '../../../ui/messages.tsx'
import { type ApiError, hasCode } from '../../client/errors.ts'
import { Page } from '../../parts/page.tsx'
import { ReasonChoice, useReason } from '../../parts/reason-choice.tsx'
import { useToast } from '../../parts/toast.tsx'
import { stockPlace } from '../../session/places.ts'
import { useLeadOn } from '../../session/router.tsx'
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
  const leadOn = useLeadOn()
  const say = useToast()
  const { busy, problem, showProblem, run } = useAttempt()
  const [file, setFile] = useState<File>()
  const [asks, setAsks] = useState<'key' | 'password' | 'encoding'>()
  const [details, setDetails] = useState<string>()
  const [report, setReport] = useState<StockReport>()
  const reason = useReason()
  const [importing, setImporting] = useState(false)
  /** What the file does not say itself: its key or password, or how its seeds are written. */
  const [missing, setMissing] = useState<Missing>({})

  /**
   * @param because Why the tokens are stored; nothing is without it.
   * @returns undefined if the file or its key cannot be used; the page says why.
   */
  async function send(chosenFile: File, given: Missing, because?: Because): Promise<StockReport | undefined> {
    const { encoding, ...headers } = given
    const query = {
      because: because ?? 'other',
      dryRun: because ? 'false' : 'true',
      skipRejected: 'true',
      ...(encoding && { encoding }),
    } as const
    const content = new Blob([chosenFile], { type: typeOf(chosenFile) })
    setDetails(undefined)
    try {
      return await client.call('POST /admin/stock/import', { query, headers, file: content })
    } catch (error) {
      const lack = (['key', 'password', 'encoding'] as const).find((name) =>
        hasCode(error, `api.error.invalid.${name}`),
      )
      if (hasCode(error, 'api.error.forbidden.elsewhere')) showProblem(stock.everyDomain)
      else if (hasCode(error, 'api.error.invalid.file')) {
        showProblem(stock.import.unreadable)
        setDetails((error as ApiError).detail?.replace('file: ', ''))
      } else if (hasCode(error, 'api.error.unavailable.pskc')) showProblem(stock.import.noPskc)
      else if (lack) {
        setAsks(lack)
        showProblem(stock.import.needs[lack])
      } else throw error
      return undefined
    }
  }
  const check = (chosenFile: File, given: Missing) =>
    run(async () => {
      setMissing(given)
      setReport(await send(chosenFile, given))
    })

  async function choose(chosenFile: File) {
    setReport(undefined)
    setFile(undefined)
    setAsks(undefined)
    setDetails(undefined)
    if (chosenFile.size > stockFileLimit) return showProblem(stock.import.tooLarge)
    setFile(chosenFile)
    await check(chosenFile, {})
  }
  async function start(chosenFile: File) {
    const because = reason.require()
    if (!because) return
    setImporting(true)
    await run(async () => {
      const result = await send(chosenFile, missing, because)
      if (!result) return
      say(stock.import.done(result.imported))
      leadOn(stockPlace())
    })
    setImporting(false)
  }
  return (
    <Page title={stock.import.title} sentence={stock.import.sentence} above={{ to: stockPlace(), title: stock.title }}>
      <section class="card form">
        <FileChoice name={file?.name} busy={busy} onFile={(chosenFile) => void choose(chosenFile)} />
        {file && (asks === 'key' || asks === 'password') ? (
          <KeyForm key={asks} kind={asks} busy={busy} onCheck={(given) => void check(file, given)} />
        ) : null}
        <Problem text={problem} />
        {details === undefined ? null : (
          <p class="sentence" lang="en" dir="ltr">
            {details}
          </p>
        )}
        {file && asks === 'encoding' && !report ? (
          <div class="buttons">
            {(['hex', 'base32'] as const).map((encoding) => (
              <Button
                key={encoding}
                class="outlined"
                onClick={() => void check(file, { encoding })}
                label={encoding === 'hex' ? stock.import.hexadecimal : 'Base32'}
              />
            ))}
          </div>
        ) : null}
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

type Missing = { readonly key?: string; readonly password?: string; readonly encoding?: 'hex' | 'base32' }

interface KeyFormProps {
  readonly kind: 'key' | 'password'
  readonly busy: boolean
  readonly onCheck: (given: Missing) => void
}

/** The pre-shared key of an encrypted file, or its password. */
function KeyForm({ kind, busy, onCheck }: KeyFormProps) {
  const { stock } = useWords()
  const [value, setValue] = useState('')
  const isKey = kind === 'key'
  return (
    <form
      class="key-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) onCheck(isKey ? { key: value.trim() } : { password: encodeURIComponent(value) })
      }}
    >
      <div class="field">
        <label>
          <span>{isKey ? stock.import.key : stock.import.password}</span>
          <input
            type="password"
            value={value}
            required
            {...(isKey && { pattern: '\\s*([0-9a-fA-F]{32}){1,2}\\s*' })}
            autocomplete="off"
            spellcheck={false}
            dir="ltr"
            aria-describedby="key-hint"
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
        </label>
        {isKey ? <small id="key-hint">{stock.import.keyHint}</small> : null}
      </div>
      <Button type="submit" class="outlined" aria-disabled={busy} label={stock.import.check} />
    </form>
  )
}
