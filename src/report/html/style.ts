import { FILTER_STYLE } from './filters.ts'

/** The report's style sheet: no external requests, light and dark, fit for print. Colours keep a contrast of 4.5 to 1. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--panel:#f6f7f9;--line:#d8dce3;--text:#1b1f27;--soft:#566072;--critical:#b3140f;--critical-bg:#fdecea;--high:#8f4a00;--high-bg:#fff3e0;--medium:#0a5a86;--medium-bg:#e6f3fb;--good:#176b34;--good-bg:#e7f5eb;--unsure:#6b5200;--unsure-bg:#fdf6dc;--code:#f1f3f6;--link:#0a58ca}
@media (prefers-color-scheme:dark){:root{--bg:#14171c;--panel:#1c2027;--line:#343b47;--text:#e8ebf0;--soft:#a7b0bf;--critical:#ff8f87;--critical-bg:#3a1715;--high:#ffbe73;--high-bg:#372410;--medium:#82c9f5;--medium-bg:#0f2c3f;--good:#7bd79a;--good-bg:#12301d;--unsure:#ecd27a;--unsure-bg:#322a0d;--code:#20252d;--link:#82b4ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:62rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.15rem;margin:0;color:var(--soft);font-weight:600}
h2{font-size:1.3rem;margin:2.6rem 0 .8rem}
h3{font-size:1.02rem;margin:0;overflow-wrap:anywhere}
p{margin:.45rem 0}
a{color:var(--link)}
code,pre{font:.86rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{overflow-wrap:anywhere}
pre{background:var(--code);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;overflow-x:auto;margin:.5rem 0;white-space:pre;tab-size:2}
.verdict{border-radius:10px;padding:1.3rem 1.5rem;margin:1rem 0;border:1px solid var(--line)}
.verdict strong{display:block;font-size:1.65rem;line-height:1.25}
.verdict.bad{background:var(--critical-bg);border-color:var(--critical)}.verdict.bad strong{color:var(--critical)}
.verdict.warn{background:var(--high-bg);border-color:var(--high)}.verdict.warn strong{color:var(--high)}
.verdict.ok{background:var(--good-bg);border-color:var(--good)}.verdict.ok strong{color:var(--good)}
.meta{color:var(--soft);font-size:.9rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(7rem,1fr));gap:.7rem;margin:1rem 0;padding:0;list-style:none}
.tiles li{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.6rem .8rem;font-size:.85rem;color:var(--soft)}
.tiles .Critical b{color:var(--critical)}.tiles .High b{color:var(--high)}.tiles .Medium b{color:var(--medium)}
.tiles b{display:block;font-size:1.5rem;color:var(--text);line-height:1.2}
.finding{border:1px solid var(--line);border-left:5px solid var(--line);border-radius:8px;padding:.45rem .8rem;margin:.45rem 0;scroll-margin-top:3rem}
.finding>details>summary{color:var(--text);overflow-wrap:anywhere}.finding summary h3{display:inline}.finding summary .where{display:block;margin:.1rem 0 0}.finding>details[open]>summary .where{display:none}
.group{margin:.8rem 0}.group>summary{font-size:1.05rem;color:var(--text)}.more>summary{margin:.6rem 0}
.filter{border:1px solid var(--line);border-radius:8px;margin:.5rem 0;padding:.3rem .7rem;display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.9rem;min-width:0}.filter legend{color:var(--soft);font-size:.82rem}.filter label{white-space:nowrap;padding:.15rem 0}
.contents{position:sticky;top:0;z-index:1;background:var(--bg);border-bottom:1px solid var(--line);padding:.45rem 0;margin:.5rem 0}.contents ul{list-style:none;padding:0;margin:.4rem 0;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem}h2{scroll-margin-top:3rem}
.start{padding-left:1.4rem;margin:.4rem 0}.start li{margin:.9rem 0;overflow-wrap:anywhere}.start p{margin:.25rem 0}.todo{list-style:'☐ '}.todo li{overflow-wrap:anywhere}
${FILTER_STYLE}
.finding.Critical{border-left-color:var(--critical)}.finding.High{border-left-color:var(--high)}.finding.Medium{border-left-color:var(--medium)}
.tag{display:inline-block;font-size:.76rem;font-weight:700;border-radius:999px;padding:.08rem .6rem;margin-right:.4rem;vertical-align:.12em;border:1px solid currentColor}
.tag.new{color:var(--bg);background:var(--text);border-color:var(--text)}a.tag{text-decoration:underline}
.tag.Critical{color:var(--critical);background:var(--critical-bg)}.tag.High{color:var(--high);background:var(--high-bg)}.tag.Medium{color:var(--medium);background:var(--medium-bg)}
.tag.passed{color:var(--good);background:var(--good-bg)}.tag.failed{color:var(--critical);background:var(--critical-bg)}.tag.unverified{color:var(--unsure);background:var(--unsure-bg)}.tag.not-applicable,.tag.plain{color:var(--soft);background:var(--panel)}
.where{color:var(--soft);font-size:.88rem;margin:.2rem 0 .5rem;overflow-wrap:anywhere}
.attack{border-left:3px solid var(--critical);padding-left:.7rem}
.lines{counter-reset:none}.lines .hit{background:var(--critical-bg);display:block;margin:0 -.9rem;padding:0 .9rem}
.lines .no{color:var(--soft);user-select:none;display:inline-block;min-width:3em;text-align:right;padding-right:1em}
details>summary{cursor:pointer;color:var(--link);font-size:.92rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.88rem;margin:.6rem 0}
th,td{text-align:left;padding:.42rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
td,td code{overflow-wrap:break-word}td.fit,thead th,td .tag{white-space:nowrap}th.wide{min-width:12rem}
th{color:var(--soft);font-weight:600}
thead th{border-bottom-width:2px}
.matrix td,.matrix thead th{text-align:center;padding:.4rem .1rem;overflow-wrap:normal;font-size:.8rem}.matrix th[scope=row]{text-align:left;min-width:9rem;font-size:.84rem}.matrix td:nth-of-type(4n+1),.matrix thead th[scope=colgroup],.matrix thead tr+tr th:nth-of-type(4n+1){border-left:1px solid var(--line)}
.cell{display:inline-block;min-width:2.6rem;border-radius:5px;padding:.05rem .2rem;font-size:.78rem;font-weight:600}
.cell.open{background:var(--critical-bg);color:var(--critical)}.cell.own{background:var(--good-bg);color:var(--good)}.cell.shut{color:var(--soft)}.cell.error{background:var(--unsure-bg);color:var(--unsure)}
ul.plain{padding-left:1.2rem}ul.plain li{margin:.3rem 0}
.glance{list-style:none;padding:0;margin:.4rem 0 1rem}.glance li{margin:.3rem 0;overflow-wrap:anywhere}
.paste{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.5rem .9rem;margin:.8rem 0}.paste details{margin:.3rem 0}
pre.wrap{white-space:pre-wrap;overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);font-size:.85rem}
@media (max-width:40rem){main{padding:1.2rem .9rem 3rem}h2{margin:1.8rem 0 .6rem}.start{padding-left:1.2rem}.stack,.stack tbody,.stack tr,.stack td{display:block}.stack thead{display:none}.stack tr{border-bottom:1px solid var(--line);padding:.35rem 0}.stack td{border:0;padding:.1rem 0}.stack td.fit{display:inline-block;color:var(--soft)}.stack td.fit+td{display:inline}.tiles{grid-template-columns:repeat(auto-fit,minmax(5.6rem,1fr));gap:.45rem}.tiles li{padding:.45rem .6rem}.verdict{padding:1rem 1.1rem}.verdict strong{font-size:1.4rem}}
@media print{body{font-size:11pt}main{max-width:none;padding:0}details::details-content{content-visibility:visible;display:block;height:auto}pre{white-space:pre-wrap;overflow-wrap:anywhere}.finding{break-inside:auto}h2,h3,summary{break-after:avoid}.scroll{overflow:visible}tr{break-inside:avoid}.copy,.paste,.contents,.filter{display:none}}
`
