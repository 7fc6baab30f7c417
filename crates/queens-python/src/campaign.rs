//! `Campaign`: the status and the result of a campaign file, read and never written.

use std::path::PathBuf;

use pyo3::exceptions::{PyFileNotFoundError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use queens_campaign::ledger::{Access, Campaign, LedgerError};
use queens_campaign::plan::MEAN_COST;

/// A campaign: a count that lasts for days, in one file. It is read, never written; the command
/// `queens campaign` plans, runs and verifies one.
///
/// >>> Campaign("q24.campaign").status()["share"]  # doctest: +SKIP
/// 0.37
#[pyclass(frozen, name = "Campaign", module = "queenside")]
pub struct PyCampaign {
    path: PathBuf,
}

fn failure(error: LedgerError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

impl PyCampaign {
    /// Opens the file, reads something and closes it again, while other threads run.
    fn read<T: Send>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&Campaign) -> Result<T, LedgerError> + Send,
    ) -> PyResult<T> {
        let read = py.detach(|| read(&Campaign::open(&self.path, Access::Read)?));
        read.map_err(failure)
    }
}

#[pymethods]
impl PyCampaign {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<PyCampaign> {
        if !path.exists() {
            let path = path.display();
            return Err(PyFileNotFoundError::new_err(format!(
                "{path}: there is no such file"
            )));
        }
        let campaign = PyCampaign { path };
        campaign.read(py, |_| Ok(()))?;
        Ok(campaign)
    }

    /// The file.
    ///
    /// >>> Campaign("q24.campaign").path  # doctest: +SKIP
    /// PosixPath('q24.campaign')
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// How far it is: a dictionary with campaign, n, algorithm, plan_digest, created, units,
    /// done, missing, share (of the expected work), rate (units per second now), recounts,
    /// disputed, and devices, a list of what each did.
    ///
    /// >>> Campaign("q24.campaign").status()["missing"]  # doctest: +SKIP
    /// 1206
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (info, progress, recounts) = self.read(py, |campaign| {
            let info = campaign.info().clone();
            Ok((info, campaign.progress()?, campaign.recounts()?))
        })?;
        let share = |cost: u64| cost as f64 / info.cost.max(1) as f64;
        let status = PyDict::new(py);
        status.set_item("campaign", &info.id)?;
        status.set_item("n", info.n)?;
        status.set_item("algorithm", &info.algorithm)?;
        status.set_item("plan_digest", &info.plan_digest)?;
        status.set_item("created", &info.created)?;
        status.set_item("units", info.units)?;
        status.set_item("done", progress.units)?;
        status.set_item("missing", info.units.saturating_sub(progress.units))?;
        status.set_item("share", share(progress.cost))?;
        status.set_item("rate", progress.rate() / MEAN_COST as f64)?;
        status.set_item("recounts", recounts.agreeing)?;
        status.set_item("disputed", recounts.disputed)?;
        let devices = PyList::empty(py);
        for tally in &progress.devices {
            let device = PyDict::new(py);
            device.set_item("device", &tally.device)?;
            device.set_item("units", tally.units)?;
            device.set_item("share", share(tally.cost))?;
            device.set_item("seconds", tally.seconds)?;
            devices.append(device)?;
        }
        status.set_item("devices", devices)?;
        Ok(status)
    }

    /// The count, once every unit is there: a dictionary with n, count, units, recounted_units,
    /// ledger_digest, plan_digest, algorithm and campaign. Raises RuntimeError while a unit is
    /// missing, altered or in dispute.
    ///
    /// >>> Campaign("q24.campaign").result()["count"]  # doctest: +SKIP
    /// 227514171973736
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (info, audit, recounted) = self.read(py, |campaign| {
            let audit = campaign.result()?;
            Ok((campaign.info().clone(), audit, campaign.recounted()?))
        })?;
        let result = PyDict::new(py);
        result.set_item("n", info.n)?;
        result.set_item("count", audit.total)?;
        result.set_item("units", audit.units)?;
        result.set_item("recounted_units", recounted.units)?;
        result.set_item("ledger_digest", audit.digest)?;
        result.set_item("plan_digest", info.plan_digest)?;
        result.set_item("algorithm", info.algorithm)?;
        result.set_item("campaign", info.id)?;
        Ok(result)
    }

    fn __repr__(&self) -> String {
        format!("<Campaign {}>", self.path.display())
    }
}
