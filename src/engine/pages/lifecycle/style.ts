export const LIFECYCLE_STYLE = `
.soft { color: var(--soft); }
.lead a { overflow-wrap: anywhere; }
main > .soft code { white-space: nowrap; }
.banner { max-width: none; padding: .8rem 1.1rem; background: var(--card); border: 1px solid var(--warm); border-left-width: 4px; border-radius: .7rem; }
.stable { margin-top: 1.2rem; padding: 1.2rem 1.4rem .5rem; background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: .7rem; }
.stable strong { font-size: 1.25rem; }
.ways { display: flex; flex-wrap: wrap; gap: .4rem 2rem; padding: 0; margin: 1rem 0 0; list-style: none; }
.ways details[open] { flex-basis: 100%; }
.ways pre { margin: .5rem 0 0; }
summary { cursor: pointer; color: var(--accent); width: fit-content; }
.levels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: 1rem 2rem; margin: 0; }
.levels dd { margin: .4rem 0 0; font-size: .95rem; color: var(--soft); }

.line { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .5rem; max-width: none; font-size: .95rem; }
.line a { font-family: var(--mono); font-size: .92em; overflow-wrap: anywhere; }
.line .left { margin-left: auto; color: var(--soft); }
.unused { margin: 0; padding: 0; list-style: none; }
.unused .line { padding: .45rem 0; border-bottom: 1px solid var(--line); scroll-margin-top: 1rem; }
.unused .line:target { border-color: var(--accent); box-shadow: 0 1px 0 var(--accent); }
.unused code { color: var(--soft); overflow-wrap: anywhere; }
.timeline { padding: 10px 1.25rem .5rem; background: var(--card); border: 1px solid var(--line); border-radius: .7rem; }
.timeline ol { margin: 0; padding: 0; list-style: none; }
.timeline li { padding: .35rem 0; }
.timeline .line { margin: 0 0 .45rem; }
.axis { display: block; width: 100%; overflow: visible; }
.axis text { fill: var(--soft); font-size: .75rem; }
.axis text.now { fill: var(--accent); stroke: none; font-weight: 600; }
.tick { stroke: var(--line); }
.now { stroke: var(--accent); stroke-width: 2; }
.track { display: block; width: 100%; overflow: visible; }
.track .over { fill: var(--warm); stroke: var(--warm); }
.track .to-come { fill: var(--card); stroke: var(--warm); stroke-width: 1.5; }
.track > line { stroke: var(--warm); stroke-width: 3; }
.track text { fill: var(--ink); font-size: .75rem; }
.track.ended .over { fill: var(--soft); stroke: var(--soft); }
.track.ended > line { stroke: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .6rem 0 0; font-size: .85rem; color: var(--soft); }
.legend svg { display: inline-block; width: 24px; vertical-align: -1px; }

.annotation { margin: 1.1rem 0 0; padding: 1.2rem 1.4rem 1.3rem; background: var(--card); border: 1px solid var(--line); border-radius: .7rem; scroll-margin-top: 1rem; }
.annotation:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.annotation header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .2rem 1rem; }
.annotation p { max-width: none; margin-bottom: 0; }
.annotation code { color: var(--soft); overflow-wrap: anywhere; }
.annotation code.name { color: inherit; }
h3 { margin: 0; font: 600 1.05rem/1.4 var(--mono); overflow-wrap: anywhere; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { margin: 0; font-size: .95rem; }
.annotation .verdict { position: relative; margin: .5rem 0 .6rem; padding-left: 1.7rem; font-size: 1.15rem; font-weight: 600; line-height: 1.35; }
.verdict::before { position: absolute; left: 0; content: "\\25cb"; content: "\\25cb" / ""; }
.verdict.blocked { color: var(--warm); }
.verdict.blocked::before { content: "\\25cf"; content: "\\25cf" / ""; }
.verdict.safe { color: var(--accent); }
.verdict.safe::before { content: "\\2713"; content: "\\2713" / ""; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .7rem 1.6rem; margin: .2rem 0 .8rem; }
.facts dt { color: var(--soft); font-size: .85rem; }
.facts dd { margin: 0; }
.uses { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.4rem 2.2rem; margin-top: 1rem; padding-top: 1.1rem; border-top: 1px solid var(--line); }
.chart { display: block; width: 100%; overflow: visible; }
.chart line { stroke: var(--line); }
.chart .base { stroke: var(--soft); }
.chart text { fill: var(--soft); font-size: .75rem; }
.chart .bar { fill: var(--accent); }
.chart .day { fill: transparent; }
.chart g:hover .day { fill: var(--code); }
.chart .before { fill: var(--code); }
.uses details { margin-top: .6rem; font-size: .9rem; }
.uses p { margin-top: .6rem; font-size: .9rem; }
.uses h4 + p { margin: 0 0 .6rem; }
.days { columns: 10rem; margin: .5rem 0 0; padding: 0; list-style: none; font-variant-numeric: tabular-nums; }
.days li { white-space: nowrap; }
.days time { display: inline-block; width: 4rem; color: var(--soft); }
.clients { border-collapse: collapse; width: 100%; font-size: .9rem; }
.clients th, .clients td { padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: baseline; font-variant-numeric: tabular-nums; }
.clients thead th { color: var(--soft); font-weight: 600; }
.clients tbody th { font-weight: 400; overflow-wrap: anywhere; }
.clients th:nth-child(2), .clients td:nth-child(2) { text-align: right; }
.clients th:last-child, .clients td:last-child { padding-right: 0; text-align: right; }
.clients time { white-space: nowrap; }
@media (max-width: 44rem) {
  .annotation { padding: 1rem 1rem 1.1rem; }
  .facts { grid-template-columns: minmax(0, 1fr); }
  .facts div { display: grid; grid-template-columns: min(8.5rem, 40%) minmax(0, 1fr); }
  .uses { grid-template-columns: minmax(0, 1fr); }
  .axis .minor { display: none; }
}
`;
