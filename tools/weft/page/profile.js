// Starts the page of `weft profile --html`.

const fileName = report.file.split("/").pop();
document.title = fileName + " - weft profile";
byId("title").textContent = fileName;
byId("subtitle").textContent = `net ${report.net}, stage ${report.stage} of ${report.stages}, ${report.chip}` +
  (report.groups > 1 ? `, ${report.groups} command groups` : "");
byId("footer").textContent = `${content.producer}. ${predictedText}`;
showTimeline();
startTheme(redraw);
