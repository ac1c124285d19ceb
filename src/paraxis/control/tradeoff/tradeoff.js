// -- When stale data are worth it: a table of machines, and all policies of the selected one. ------

{
  const all = JSON.parse(byId("data").textContent), { tradeoff } = all;
  const { networks, processors, latencies, policies, unit } = tradeoff;
  const middle = Math.floor(processors.length / 2), late = latencies.length > 1 ? 1 : 0;
  const machine = { network: 0, winner: "fastest", row: middle, column: late };

  const digits = (value, count = 3) => String(+value.toPrecision(count));
  const at = (values, row, column) => values[machine.network][row][column];
  const winner = (row, column) => at(tradeoff[machine.winner], row, column);
  const gain = (row, column, k) =>
    at(tradeoff.loopTime, row, column)[0] / at(tradeoff.loopTime, row, column)[k];

  function cell(row, column) {
    const k = winner(row, column);
    const words = k < 0 ? ["none is stable"]
      : [policies[k], make("span", { class: "gain" }, `${gain(row, column, k).toFixed(2)} ×`)];
    const button = make("button", { type: "button", class: `p${k % 5}`,
      click: () => { Object.assign(machine, { row, column }); show(); } }, ...words);
    press(button, row === machine.row && column === machine.column);
    return make("td", {}, button);
  }

  function table() {
    const heads = latencies.map(each => make("th", { scope: "col" }, each ? `latency ${each} flops` : "free messages"));
    const rows = processors.map((count, row) => make("tr", {},
      make("th", { scope: "row" }, count === 1 ? "1 processor" : `${count} processors`),
      ...latencies.map((_, column) => cell(row, column))));
    byId("hardware").replaceChildren(make("thead", {}, make("tr", {}, make("td"), ...heads)),
      make("tbody", {}, ...rows));
  }

  function line(k) {
    const { row, column } = machine, time = at(tradeoff.loopTime, row, column)[k];
    const bound = at(tradeoff.loopBound, row, column)[k], error = at(tradeoff.error, row, column)[k];
    const stable = at(tradeoff.stable, row, column)[k], period = time * tradeoff.flopTime;
    const least = at(tradeoff.loopBound, row, column)[0] / time;
    const cells = [policies[k], time <= bound ? `${digits(time)}, optimal` : `${digits(time)}, at least ${digits(bound)}`,
      digits(1000 * period), digits(1000 * tradeoff.safePeriod[k]), stable ? "yes" : "no",
      error === null ? "diverged" : digits(error, 2), `${gain(row, column, k).toFixed(2)} ×`,
      k && least > 1 ? `${least.toFixed(2)} ×` : "–"];
    return make("tr", stable ? {} : { class: "no" }, ...cells.map((text, j) => make("td", j ? { class: "num" } : {}, text)));
  }

  function describe() {
    const heads = ["policy", "loop time, flops", "period, ms", "safe up to, ms", "stable", `error, ${unit}`, "rate", "proved"];
    byId("machine").replaceChildren(
      make("p", {}, at(tradeoff.answers, machine.row, machine.column)),
      make("div", { class: "scroll" }, make("table", {},
        make("thead", {}, make("tr", {}, ...heads.map((head, j) => make("th", j ? { class: "num" } : {}, head)))),
        make("tbody", {}, ...policies.map((_, k) => line(k))))));
  }

  function show() {
    for (const button of document.querySelectorAll("[data-network]")) {
      press(button, networks[machine.network] === button.dataset.network);
    }
    for (const button of document.querySelectorAll("[data-winner]")) {
      press(button, machine.winner === button.dataset.winner);
    }
    table();
    describe();
  }

  for (const button of document.querySelectorAll("[data-network]")) {
    button.addEventListener("click", () => { machine.network = networks.indexOf(button.dataset.network); show(); });
  }
  for (const button of document.querySelectorAll("[data-winner]")) {
    button.addEventListener("click", () => { machine.winner = button.dataset.winner; show(); });
  }
  show();
  if (!all.maps) fitFrame();
}
