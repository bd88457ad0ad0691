import type { StockReport } from '../../../contract/admin/stock.ts'
import { type IconPath, check, cross, info } from '../../../ui/icons.ts'
import { Icon } from '../../../ui/icon.tsx'
import { useWords } from '../../words/speech.tsx'
import { useNumbers } from '../../words/use-numbers.ts'

/** How many rejected rows are listed: a wrong file has as many as it has lines. */
const shownRows = 100

/** What an import would do: how many tokens are new, there already, or rejected, and why. */
export function ImportReport({ report: { acceptable, rejected } }: { readonly report: StockReport }) {
  const { stock } = useWords()
  const { count } = useNumbers()
  const present = rejected.filter(({ code }) => code === 'present').length
  const faults = rejected.filter(({ code }) => code !== 'present')
  return (
    <div class="import-report" role="status">
      <ul class="list">
        <Count icon={check} text={acceptable === 0 ? stock.import.nothing : stock.import.fresh(acceptable)} />
        {present > 0 ? <Count icon={info} text={stock.import.present(present)} /> : null}
        {faults.length > 0 ? <Count icon={cross} text={stock.import.rejected(faults.length)} /> : null}
      </ul>
      {faults.length > 0 ? (
        <div class="wide-table" tabIndex={0} role="group" aria-label={stock.import.rejected(faults.length)}>
          <table>
            <thead>
              <tr>
                <th scope="col">{stock.import.line}</th>
                <th scope="col">{stock.import.why}</th>
              </tr>
            </thead>
            <tbody>
              {faults.slice(0, shownRows).map(({ line, code }) => (
                <tr key={line}>
                  <td>{count(line)}</td>
                  <td>{stock.import.reasons[code]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      {faults.length > shownRows ? <p class="sentence">{stock.import.more(faults.length - shownRows)}</p> : null}
    </div>
  )
}

function Count({ icon, text }: { readonly icon: IconPath; readonly text: string }) {
  return (
    <li class="row">
      <Icon path={icon} />
      <div class="row-text">{text}</div>
    </li>
  )
}
