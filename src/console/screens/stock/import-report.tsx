import type { StockReport } from '../../../admin-contract/stock.ts'
import { isolated } from '../../../ground/printable.ts'
import { type IconPath, check, cross, info } from '../../../ui/icons.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Facts } from '../../parts/facts.tsx'
import { useWords } from '../../words/speech.tsx'
import { useNumbers } from '../../words/use-numbers.ts'

/** The effect of an import: how many tokens are new, there already, or rejected, and why. */
export function ImportReport({ report }: { readonly report: StockReport }) {
  const { acceptable, ignored, preview, rejected, rejectedRows, presentRows: presentCount } = report
  const { stock } = useWords()
  const { count } = useNumbers()
  // The first ones.
  const listed = rejected.filter(({ code }) => code !== 'present')
  const faults = rejectedRows - presentCount
  return (
    <div class="import-report" role="status">
      <ul class="list">
        <Count icon={check} text={acceptable === 0 ? stock.import.nothing : stock.import.fresh(acceptable)} />
        {presentCount > 0 ? <Count icon={info} text={stock.import.present(presentCount)} /> : null}
        {faults > 0 ? <Count icon={cross} text={stock.import.rejected(faults)} /> : null}
        {ignored ? <Count icon={info} text={stock.import.ignored(isolated(ignored.join(', ')))} /> : null}
      </ul>
      {preview.length > 0 ? (
        <Facts
          facts={preview.map(({ serialNumber, algorithm, digits, period }) => ({
            label: isolated(serialNumber),
            value: stock.codesOf(digits, period ?? 0),
            note: algorithm,
          }))}
        />
      ) : null}
      {faults > 0 ? (
        <div class="wide-table" tabIndex={0} role="group" aria-label={stock.import.rejected(faults)}>
          <table>
            <thead>
              <tr>
                <th scope="col">{stock.import.line}</th>
                <th scope="col">{stock.import.why}</th>
              </tr>
            </thead>
            <tbody>
              {listed.map(({ line, code }) => (
                <tr key={line}>
                  <td>{count(line)}</td>
                  <td>{stock.import.reasons[code]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      {faults > listed.length ? <p class="sentence">{stock.import.more(faults - listed.length)}</p> : null}
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
